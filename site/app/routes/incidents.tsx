export default function Page() {
  return <main>incidents</main>;
}
