import { describe, expect, it } from 'vitest';
import { csvOf, shown } from './sheet';

const lines = (cell: string) =>
  csvOf({ file: 'f', columns: [{ word: 'Alert' }], rows: [[cell]] }).split('\r\n')[1];

describe('the file of a chart', () => {
  it('keeps seconds, and says so in its head', () => {
    const sheet = {
      file: 'f',
      columns: [{ word: 'A' }, { word: 'MTTA', unit: 'seconds' }] as const,
      rows: [
        ['x', 90],
        ['y', null],
      ],
    };
    expect(csvOf(sheet)).toBe('\uFEFFA,MTTA (seconds)\r\nx,90\r\ny,\r\n');
    expect(shown(90, sheet.columns[1])).toBe('1m 30s');
    expect(shown(null, sheet.columns[1])).toBe('-');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])('lets no spreadsheet run %j', (title) => {
    expect(lines(title)).toBe(`'${title}`);
  });

  it('quotes what would end a cell or a line', () => {
    expect(lines('a,b')).toBe('"a,b"');
    expect(lines('say "hi"')).toBe('"say ""hi"""');
    expect(csvOf({ file: 'f', columns: [{ word: 'A' }], rows: [['=a\r\nb']] })).toContain('"\'=a\r\nb"');
  });
});
