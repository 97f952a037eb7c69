import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const app = join(import.meta.dirname, '../app');
const files = readdirSync(app, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
  .map((entry) => relative(app, join(entry.parentPath, entry.name)))
  .filter((file) => !file.startsWith('lib/time/'));

// What makes of a time words, a field or an instant, and the other way round. Asking for now is free.
const own =
  /\bIntl\.(DateTimeFormat|RelativeTimeFormat|DurationFormat|supportedValuesOf)|\.toLocale(Date|Time)String\(|\.to(ISO|Date|UTC)String\(|\bDate\.(parse|UTC)\(|\.[gs]et(UTC)?(FullYear|Month|Date|Day|Hours|Minutes|Seconds)\(|\bnew Date\([^)]/;

it.each(files)('%s leaves times to lib/time', (file) => {
  const found = own.exec(readFileSync(join(app, file), 'utf8'));
  expect(found?.[0], 'times are read and written in app/lib/time, and nowhere else').toBeUndefined();
});
