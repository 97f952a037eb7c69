export default function Page() {
  return <main>service</main>;
}
