import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue, entryOf, shortened } from './catalogue';

const root = join(import.meta.dirname, '../../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const address = { base: 'https://bell.example', key: 'nbs_abc' };

// The lines of a text without their indentation and without empty ones.
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

describe('the catalogue of senders', () => {
  it('has what the server can name, and nothing else', () => {
    const proto = read('proto/nightbell/v1/catalog_service.proto');
    const [, words = ''] = /in: \[("alertmanager".*)\]/.exec(proto) ?? [];
    expect(catalogue.map(({ kind }) => kind).toSorted()).toEqual(
      words
        .split(', ')
        .map((word) => word.replaceAll('"', ''))
        .toSorted(),
    );
  });

  it.each([
    ['node_sdk', 'sdk-node/examples/trigger.js'],
    ['python_sdk', 'sdk-python/examples/trigger.py'],
    ['go_sdk', 'sdk-go/examples/trigger/main.go'],
  ])('%s shows what the example of the SDK says, which its tests run', (kind, file) => {
    const shown = entryOf(kind).blocks.at(-1)?.code(address) ?? '';
    const example = lines(read(file));
    expect(lines(shown).filter((line) => !example.includes(line))).toEqual([]);
  });

  it.each(
    catalogue.flatMap(({ name, blocks }) =>
      blocks.map((block) => [`${name}: ${block.title}`, block] as const),
    ),
  )('%s holds nothing of another address', (_, block) => {
    const code = block.code(address);
    expect(code).not.toMatch(/127\.0\.0\.1|localhost|your-key|undefined/);
    expect(code.length).toBeGreaterThan(0);
  });

  it('shows the beginning of a key and nothing that calls', () => {
    expect(shortened('nbs_JJ8E…')).toBe('nbs_JJ8E····');
    expect(shortened(undefined)).toBe('nbs_····');
  });

  it('shows the first sender for one that is not known', () => {
    expect(entryOf('nagios').kind).toBe('alertmanager');
  });
});
