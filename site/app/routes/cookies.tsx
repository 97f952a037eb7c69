import { PublicPage } from '~/features/landing/components/public-page';

export function meta() {
  return [
    { title: 'Cookies - Nightbell' },
    {
      name: 'description',
      content:
        "This site sets no cookies. It keeps a few things in your browser's local storage, and only these.",
    },
  ];
}

/** What the site keeps in the browser. */
export default function Cookies() {
  return (
    <PublicPage
      title="Cookies"
      lede="This site sets no cookies. It keeps a few things in your browser's local storage, and only these."
    >
      <ul>
        <li>
          <b>Theme:</b> light, dark or system, if you chose one.
        </li>
        <li>
          <b>Session:</b> your name and two tokens while you are signed in. Logout removes them.
        </li>
        <li>
          <b>This browser:</b> a random mark sent when you sign in, so that a stranger's wrong passwords
          cannot lock you out.
        </li>
        <li>
          <b>Keyboard:</b> whether single-key shortcuts are on.
        </li>
      </ul>
    </PublicPage>
  );
}
