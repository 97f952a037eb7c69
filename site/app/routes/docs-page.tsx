import { page } from '@nightbell/docs';
import { redirectDocument } from 'react-router';
import sprite from '~/assets/icons.svg';
import { DocsPage } from '~/features/docs/components/docs-page';
import type { Route } from './+types/docs-page';

/** These pages carry no React: a small script of their own does what needs one. */
export const handle = { still: true };

export function meta({ loaderData }: Route.MetaArgs) {
  if (!loaderData) return [];
  const { title, description } = loaderData.page;
  return [{ title: `${title} - Nightbell docs` }, { name: 'description', content: description }];
}

/** Runs in the build only: the page is bound to its examples there. */
export async function loader({ request }: Route.LoaderArgs) {
  const url = new URL(request.url).pathname.replace(/\.data$/, '').replace(/\/$/, '');
  const found = await page(url, sprite, { fresh: import.meta.env.DEV });
  if (!found) throw new Response('Not found', { status: 404 });
  return { page: found };
}

/** From inside the app, the documentation is a document of its own. */
export function clientLoader({ request }: Route.ClientLoaderArgs): Promise<never> {
  throw redirectDocument(request.url);
}

export default function Docs({ loaderData }: Route.ComponentProps) {
  return <DocsPage page={loaderData.page} />;
}
