export default function Page() {
  return <main>inbox</main>;
}
