export default function Page() {
  return <main>incident</main>;
}
