import { PublicPage } from '~/features/landing/components/public-page';
import { repository } from '~/lib/company';

export function meta() {
  return [
    { title: 'Terms of Service - Nightbell' },
    {
      name: 'description',
      content: 'The terms of the software, and of the installation that somebody runs with it.',
    },
  ];
}

/** The terms of an installation, in plain words. */
export default function Terms() {
  return (
    <PublicPage
      title="Terms of Service"
      lede="Nightbell is software that somebody runs. These terms cover the software; whoever runs this installation may add their own."
    >
      <h2>The software</h2>
      <p>
        Nightbell is licensed under Apache-2.0. The full text is in the{' '}
        <a href={`${repository}/blob/main/LICENSE`}>LICENSE file</a>. It comes without warranty, as that
        licence says.
      </p>
      <h2>Your account</h2>
      <ul>
        <li>Keep your password to yourself. Whoever signs in as you can acknowledge your incidents.</li>
        <li>Give contact addresses that are yours or your team's. Pages go wherever you point them.</li>
        <li>The people who run this installation can see and remove what is stored in it.</li>
      </ul>
      <h2>Paging</h2>
      <p>
        Nightbell depends on networks and providers that can fail. Set up more than one way to reach each
        person, and an outside check that notices when Nightbell itself is silent.
      </p>
    </PublicPage>
  );
}
