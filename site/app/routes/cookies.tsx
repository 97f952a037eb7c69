export default function Page() {
  return <main>cookies</main>;
}
