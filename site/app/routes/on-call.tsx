export default function Page() {
  return <main>on-call</main>;
}
