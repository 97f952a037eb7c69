import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scopedName } from '../build-steps/scoped-name';

const app = join(import.meta.dirname, '../app');
const files = readdirSync(app, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const shown = (file: string) => relative(app, file);
const read = (file: string) => readFileSync(file, 'utf8');

const modules = files.filter((file) => file.endsWith('.module.css'));
const sources = files.filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'));
const everywhere = classesOf(read(join(app, 'styles/base.css')));
const uses = sources.flatMap(usesOf);

describe('styles', () => {
  it('are in the three files of every page or in modules', () => {
    const others = files.filter((file) => file.endsWith('.css') && !modules.includes(file));
    expect(others.map(shown).toSorted()).toEqual([
      'styles/base.css',
      'styles/reset.css',
      'styles/tokens.css',
    ]);
  });

  it.each(modules.map(shown))('%s is in its layer and nowhere else', (file) => {
    const layer = file.startsWith('components/ui/') ? 'kit' : 'page';
    const outside = withoutBlocks(withoutComments(read(join(app, file))));
    expect(outside.trim().replaceAll(/\s+/g, ' ')).toBe(`@layer ${layer} {}`);
  });

  it('give no class name two meanings', () => {
    const names = modules.flatMap((file) => [...classesOf(read(file))].map((name) => scopedName(name, file)));
    expect(names.filter((name, at) => names.indexOf(name) !== at || everywhere.has(name))).toEqual([]);
  });

  it.each(sources.map(shown))('%s wears only classes that exist', (file) => {
    const wrong = usesOf(join(app, file)).filter(({ module, name }) => !namesOf(module).has(name));
    expect(wrong.map(({ module, name }) => `${name} of ${shown(module)}`)).toEqual([]);
    expect(literalsOf(read(join(app, file))).filter((name) => !everywhere.has(name))).toEqual([]);
  });

  it.each(modules.map(shown))('%s has no rule for what is not there', (file) => {
    const used = new Set(uses.filter(({ module }) => shown(module) === file).map(({ name }) => name));
    expect([...namesOf(join(app, file))].filter((name) => !used.has(name))).toEqual([]);
  });

  it('name across files only what exists', () => {
    // What docs-mdx/binder/highlight.ts puts around the words of an example.
    const highlights = ['tk', 'ts', 'tf', 'tn', 'tc'];
    const known = new Set([
      ...highlights,
      ...everywhere,
      ...modules.flatMap((file) => [...classesOf(read(file))].map((name) => scopedName(name, file))),
    ]);
    const named = modules.flatMap((file) => globalsOf(read(file)).map((name) => `${name} in ${shown(file)}`));
    expect(named.filter((line) => !known.has(line.split(' ')[0] ?? ''))).toEqual([]);
  });
});

/** The classes that a style sheet has rules for; names that it only borrows do not count. */
function classesOf(css: string): Set<string> {
  return new Set(selectorsOf(css).flatMap((text) => classNames(text.replaceAll(/:global\([^()]*\)/g, ''))));
}

function globalsOf(css: string): string[] {
  return selectorsOf(css).flatMap((text) =>
    [...text.matchAll(/:global\(([^()]*)\)/g)].flatMap((m) => classNames(m[1] ?? '')),
  );
}

function selectorsOf(css: string): string[] {
  const preludes = [...withoutComments(css).matchAll(/([^{}]+)\{/g)].map((match) => (match[1] ?? '').trim());
  return preludes.filter((text) => !text.startsWith('@'));
}

function classNames(selector: string): string[] {
  return [...selector.matchAll(/\.([a-zA-Z][\w-]*)/g)].map((match) => match[1] ?? '');
}

function withoutComments(css: string): string {
  return css.replaceAll(/\/\*[\s\S]*?\*\//g, '');
}

// Leaves the outermost braces empty.
function withoutBlocks(css: string): string {
  let depth = 0;
  return [...css]
    .filter((letter) => {
      if (letter === '}') depth -= 1;
      const outside = depth === 0;
      if (letter === '{') depth += 1;
      return outside;
    })
    .join('');
}

function namesOf(module: string): Set<string> {
  return new Set([...classesOf(read(module))].map(camelCase));
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What a source takes from each CSS module that it imports. */
function usesOf(source: string): { module: string; name: string }[] {
  const text = read(source);
  return [...text.matchAll(/import \* as (\w+) from '([^']+\.module\.css)'/g)].flatMap(
    ([, word = '', from = '']) => {
      const module = from.startsWith('~/') ? join(app, from.slice(2)) : join(dirname(source), from);
      return [...text.matchAll(new RegExp(`\\b${word}\\.(\\w+)`, 'g'))].map((match) => ({
        module,
        name: match[1] ?? '',
      }));
    },
  );
}

/** The class names that a source writes as words, where they must be the same on every page. */
function literalsOf(text: string): string[] {
  const attributes = [...text.matchAll(/className=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g)];
  return attributes.flatMap(([, plain, expression = '']) => {
    const quoted = [...expression.matchAll(/(?<![=!]== )'([^']*)'|`([^`]*)`/g)].map(
      (m) => m[1] ?? (m[2] ?? '').replaceAll(/\$\{[^}]*\}/g, ' '),
    );
    return (plain ?? quoted.join(' ')).split(/\s+/).filter(Boolean);
  });
}
