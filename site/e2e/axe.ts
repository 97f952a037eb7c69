import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type Axe from 'axe-core';

type Program = typeof Axe & { commons: { color: { Color: { prototype: Color } } } };
interface Color {
  r: number;
  g: number;
  b: number;
  alpha: number;
  parseString: (text: string) => Color;
}
declare const axe: Program;

const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const source = `if (!window.axe) { ${program}\n; (${rememberColors})(); }`;

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with a page: the rule, and where. */
export async function violations(page: Page): Promise<string[]> {
  // A page keeps it until it is left. The frame of a mail, which is the only one, runs no script.
  await page.evaluate(source);
  return page.evaluate(async (tags) => {
    const { violations } = await axe.run(document, {
      runOnly: { type: 'tag', values: tags },
      rules: { 'target-size': { enabled: true } }, // of WCAG 2.2, and off unless it is named
      // Describing what is right with every element takes most of its time, and nobody reads it.
      resultTypes: ['violations'],
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, tags);
}

// A page has a dozen colors. axe reads the text of one again for each element and each of its backgrounds,
// which was half of its time; what it says of a color is the same each time.
function rememberColors(): void {
  const { prototype } = axe.commons.color.Color;
  const read = prototype.parseString;
  const known = new Map<string, Pick<Color, 'r' | 'g' | 'b' | 'alpha'>>();
  prototype.parseString = function (text) {
    const color = known.get(text);
    if (color) return Object.assign(this, color);
    read.call(this, text);
    known.set(text, { r: this.r, g: this.g, b: this.b, alpha: this.alpha });
    return this;
  };
}
