import { anchorOf } from '../html';
import type { Bound } from '../render';
import { onTheWeb } from '../repository';

// A file on more pages than this has a table of them.
const longList = 20;

/** Every block of code of every page, with the file that it is and the test that executes it. */
export function tested(pages: readonly Bound[]): string {
  const files = new Map<string, { ways: Set<string>; places: Map<string, string[]> }>();
  for (const { source, snippets } of pages)
    for (const { file, proof, id } of snippets) {
      const of = files.get(file) ?? { ways: new Set(), places: new Map() };
      const how = proof.word === 'Checked' ? 'Checked' : 'Executed';
      of.ways.add(`${how} by \`${proof.test}\` in \`${proof.run}\`.`);
      of.places.set(source.url, [...(of.places.get(source.url) ?? []), id]);
      files.set(file, of);
    }
  const blocks = pages.reduce((sum, { snippets }) => sum + snippets.length, 0);
  const sections = [...files]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([file, { ways, places }]) => {
      const shown = [...places].map(([url, ids]) => ({
        page: `[${url}](${url}#${ids[0]})`,
        others: ids.slice(1).map((id, n) => `[${n + 2}](${url}#${id})`),
      }));
      const list =
        shown.length > longList
          ? `| Page | Its other blocks |\n|---|---|\n${shown.map(({ page, others }) => `| ${page} | ${others.join(' ')} |`).join('\n')}`
          : `Shown on ${shown.map(({ page, others }) => [page, ...others].join(' ')).join(', ')}.`;
      return `### ${file} [#${anchorOf(file)}]\n\n${[...ways].join(' ')} [The file](${onTheWeb(file)}).\n\n${list}`;
    });
  return [
    `${blocks} blocks on ${pages.length} pages come from ${files.size} files. Each has a test; a block without one stops the build.`,
    ...sections,
  ].join('\n\n');
}
