import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tags } from './generated/openapi';
import { root } from './repository';

/** A part of the tree beside every page, and the pages on it in reading order. */
export interface Shelf {
  title: string;
  /** Its pages but the first stand in the tree only while one of them is open. */
  folded?: boolean;
  pages: { url: string; name?: string; from?: string }[];
}

// Whoever records a decision writes one file, and it is a page.
const decisions = readdirSync(join(root, 'docs-mdx/decisions'))
  .sort()
  .map((file) => ({
    url: `/docs/decisions/${/^\d{4}|^[^.]+/.exec(file)?.[0]}`,
    from: `docs-mdx/decisions/${file}`,
  }));

/** The whole of the documentation. `from` is Markdown that operators also read in the repository. */
export const shelves: Shelf[] = [
  {
    title: 'Start',
    pages: [
      { url: '/docs', name: 'Overview' },
      { url: '/docs/sdk-quick-reference' },
      { url: '/docs/sdk-usage-guide' },
      { url: '/docs/quick-setup' },
      { url: '/docs/secrets-setup' },
    ],
  },
  {
    title: 'Platforms',
    pages: [
      { url: '/docs/platforms', name: 'All platforms' },
      { url: '/docs/platforms/nodejs' },
      { url: '/docs/platforms/python' },
      { url: '/docs/platforms/go' },
      { url: '/docs/platforms/java' },
      { url: '/docs/platforms/php' },
      { url: '/docs/platforms/ruby' },
    ],
  },
  {
    title: 'Catch',
    pages: [
      { url: '/docs/error-tracking' },
      { url: '/docs/performance' },
      { url: '/docs/business-metrics' },
      { url: '/docs/alerts' },
      { url: '/docs/examples' },
    ],
  },
  {
    title: 'Answer',
    pages: [
      { url: '/docs/concepts/incidents' },
      { url: '/docs/concepts/escalation' },
      { url: '/docs/concepts/schedules' },
      { url: '/docs/concepts/people' },
      { url: '/docs/concepts/analytics' },
      { url: '/docs/slack' },
      { url: '/docs/mobile' },
      { url: '/docs/webhooks' },
    ],
  },
  {
    title: 'Run it yourself',
    pages: [
      { url: '/docs/deployment' },
      { url: '/docs/outage' },
      { url: '/docs/moving' },
      { url: '/docs/self-hosting/restore', from: 'docs-mdx/restore.md' },
      { url: '/docs/self-hosting/pooler', from: 'docs-mdx/pooler.md' },
      { url: '/docs/self-hosting/quotas', from: 'docs-mdx/quotas.md' },
      { url: '/docs/self-hosting/retention', from: 'docs-mdx/retention.md' },
      { url: '/docs/enterprise' },
      { url: '/docs/measured' },
    ],
  },
  {
    title: 'Look up',
    pages: [
      { url: '/docs/glossary' },
      { url: '/docs/plain-http', from: 'docs-mdx/plain-http.md' },
      { url: '/docs/errors' },
      { url: '/docs/changelog' },
      { url: '/docs/tested' },
    ],
  },
  {
    title: 'API',
    folded: true,
    pages: [{ url: '/docs/api', name: 'All calls' }, ...tags().map(({ url }) => ({ url }))],
  },
  {
    title: 'Decisions',
    folded: true,
    pages: [{ url: '/docs/decisions' }, ...decisions],
  },
];
