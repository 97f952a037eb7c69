import { anchorOf } from '../html';
import type { Bound } from '../render';
import { onTheWeb } from '../repository';

/** Every block of code of every page, with the file that it is and the test that executes it. */
export function tested(pages: readonly Bound[]): string {
  const shown = new Map<string, string[]>();
  const ways = new Map<string, Set<string>>();
  for (const { snippets } of pages)
    for (const { file, proof } of snippets) {
      const how = proof.word === 'Checked' ? 'Checked' : 'Executed';
      ways.set(file, (ways.get(file) ?? new Set()).add(`${how} by \`${proof.test}\` in \`${proof.run}\`.`));
    }
  for (const { source, snippets } of pages)
    for (const one of snippets)
      shown.set(one.file, [...(shown.get(one.file) ?? []), `[${source.url}](${source.url}#${one.id})`]);
  const blocks = [...shown.values()].reduce((sum, list) => sum + list.length, 0);
  const sections = [...shown]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([file, places]) => {
      return `### ${file} [#${anchorOf(file)}]\n\n${[...(ways.get(file) ?? [])].join(' ')} [The file](${onTheWeb(file)}).\n\nShown on ${[...new Set(places)].join(', ')}.`;
    });
  return [
    `${blocks} blocks on ${pages.length} pages come from ${shown.size} files. Each has a test; a block without one stops the build.`,
    ...sections,
  ].join('\n\n');
}
