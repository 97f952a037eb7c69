import { read } from '../repository';

/** CHANGELOG.md without its own title; its links are of the repository's root. */
export function changelog(): string {
  return read('CHANGELOG.md')
    .replace(/^# .*\n/, '')
    .replace(/\]\((?!https?:)([^)]+)\)/g, '](../../$1)');
}

/** A line for each decision record. */
export function decisions(pages: readonly { url: string; title: string; description: string }[]): string {
  return pages.map(({ url, title, description }) => `- [${title}](${url}): ${description}`).join('\n');
}
