import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const app = join(import.meta.dirname, '../app');
const features = readdirSync(join(app, 'features'));
const files = readdirSync(app, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(app, join(entry.parentPath, entry.name)));

/** The rooms a file may not enter: routes use everything, features use the kit and the data, those use lib. */
function forbidden(file: string): RegExp[] {
  if (file.startsWith('lib/')) return [/^~\/(?!lib\/)/];
  if (file.startsWith('data/')) return [/^~\/(?!lib\/)/];
  if (file.startsWith('components/')) return [/^~\/(features|routes|data)\//, /@tanstack\/react-query/];
  const feature = features.find((name) => file.startsWith(`features/${name}/`));
  if (!feature) return [];
  const others = features.filter((name) => name !== feature);
  return [/^~\/routes\//, new RegExp(`^~/features/(${others.join('|')})/`)];
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(app, file), 'utf8');
  return [...text.matchAll(/from '([^']+)'|^import '([^']+)'/gm)].map((match) => match[1] ?? match[2] ?? '');
}

describe('routes -> features -> components and data -> lib', () => {
  it.each(files)('%s imports only downwards', (file) => {
    const upwards = importsOf(file).filter((from) => forbidden(file).some((rule) => rule.test(from)));
    expect(
      upwards,
      `${file} may not import these; move what it needs down, or compose both in a route`,
    ).toEqual([]);
  });

  // Signing in and out has no cache, and neither have the pages of the documentation.
  it.each(
    files.filter(
      (file) => /^(routes|features|components)\//.test(file) && !/^features\/(auth|docs)|\.test\./.test(file),
    ),
  )('%s asks the server by data only', (file) => {
    const text = readFileSync(join(app, file), 'utf8');
    const own =
      /\b(fetch|call|callPages|send|authorized)(<[^(]*>)?\(\{|\bqueryFn\b|\bmutationFn\b|\bqueryKey\b/.exec(
        text,
      );
    expect(
      own?.[0],
      'a query, a mutation and a cache key stand in app/data, beside their noun',
    ).toBeUndefined();
  });

  // Only whole addresses are compared: what begins with a noun's own `addressOf` stands in one file anyway.
  it('asks each endpoint in one place', () => {
    const asked = files
      .filter((file) => file.startsWith('data/') && !/\.test\./.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(app, file), 'utf8');
        return [...text.matchAll(/method: '(\w+)',\s*path: (?:'([^']+)'|`([^`]+)`)/g)].map(
          ([, method, fixed, built]) =>
            `${method} ${fixed ?? built}`.replaceAll(/\$\{encodeURIComponent\(\w+\)\}/g, ':id'),
        );
      });
    expect(asked.length).toBeGreaterThan(50);
    const own = asked.filter((one) => one.includes(' /v1/'));
    expect(own.filter((one, at) => own.indexOf(one) !== at)).toEqual([]);
  });

  it('keeps every route to composition', () => {
    const lengths = files
      .filter((file) => file.startsWith('routes/') && !file.endsWith('.test.tsx'))
      .map((file) => [file, readFileSync(join(app, file), 'utf8').split('\n').length] as const);
    expect(lengths.filter(([, lines]) => lines > 110)).toEqual([]);
  });
});

/** The answers of a test that are made without the contract: those of 2xx, since refusals have one form. */
function untypedAnswers(file: string): string[] {
  const text = readFileSync(join(app, file), 'utf8');
  return [...text.matchAll(/\bHttpResponse\.json\(/g)]
    .map(({ index }) => callFrom(text, index))
    .filter((made) => !/status: [45]\d\d\b[^()]*\)$/.test(made))
    .concat(text.match(/\breply<(object|any|unknown|Record\b.*?)>\(\{[^}]+\}\)/g) ?? []);
}

// The whole call that begins there, by its brackets.
function callFrom(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}

describe('the server of a test answers by the contract', () => {
  // This one is of what lies below the contract: headers, statuses and tokens.
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file) && file !== 'lib/api.test.ts');
  it.each(tests)('%s', (file) => {
    expect(untypedAnswers(file), 'say which message it is: reply<ListTeamsResponseJson>({ teams })').toEqual(
      [],
    );
  });
});
