export default function Page() {
  return <main>integrations</main>;
}
