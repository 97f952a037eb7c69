import { api, callsOf } from './generated/api';
import { changelog, decisions } from './generated/changelog';
import { errors } from './generated/errors';
import { settings, severities } from './generated/facts';
import { lifecycle } from './generated/lifecycle';
import { headlines, measured } from './generated/measured';
import { tested } from './generated/tested';
import type { Bound } from './render';
import { read } from './repository';
import type { Source } from './sources';

let given: { pages: readonly Bound[]; sources: readonly Source[] } = {
  pages: [],
  sources: [],
};

/** Says what the pages show, for the parts that are made of it. */
export function provide(parts: typeof given): void {
  given = parts;
}

/** The parts of pages that are made of the server's own tables, as Markdown, by the component that stands for them. */
export const written: Record<string, (attributes: Record<string, string>) => string> = {
  AfterIntegration: () => read('docs-mdx/content/parts/after-integration.md'),
  Api: () => api(),
  Calls: ({ of = '' }) => callsOf(of),
  Changelog: () => changelog(),
  Decisions: () => decisions(given.sources.filter(({ url }) => url.startsWith('/docs/decisions/'))),
  Errors: () => errors(),
  Headlines: () => headlines(),
  Lifecycle: () => lifecycle(),
  Measured: () => measured(),
  Settings: ({ language = '' }) => settings(language),
  Severities: () => severities(),
  Tested: () => tested(given.pages),
};
