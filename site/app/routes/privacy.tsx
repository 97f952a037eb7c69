import { PublicPage } from '~/features/landing/components/public-page';

export function meta() {
  return [
    { title: 'Privacy - Nightbell' },
    { name: 'description', content: 'What this installation stores about you, and where it goes.' },
  ];
}

/** What an installation stores and sends. */
export default function Privacy() {
  return (
    <PublicPage title="Privacy" lede="What this installation stores about you, and where it goes.">
      <h2>Stored here</h2>
      <ul>
        <li>
          <b>Your account:</b> name, e-mail address, time zone, phone number if you give one, and a one-way
          hash of your password.
        </li>
        <li>
          <b>Your contact methods:</b> the addresses by which you asked to be paged.
        </li>
        <li>
          <b>What you left without an account:</b> a question to sales, or your address for news, until you
          ask to be forgotten.
        </li>
        <li>
          <b>What you did:</b> acknowledgements, comments and changes, with the time, because an incident's
          history has to be trusted later.
        </li>
      </ul>
      <h2>Sent elsewhere</h2>
      <p>
        Only what you set up: mail through the configured mail server, messages to the webhooks and chat
        channels you added. These pages load nothing from other sites, and there is no tracking.
      </p>
      <h2>Questions</h2>
      <p>
        Under Settings, Profile, you download what is stored of you, and delete your account. For the rest ask
        the people who run this installation; they hold the data and can delete it.
      </p>
    </PublicPage>
  );
}
