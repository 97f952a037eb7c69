import { plainDuration } from '~/lib/time/words';

/** A cell: words, a number, or null for what there is none of. */
export type Cell = string | number | null;

/** A column of a table. Seconds are shown as a length of time, and stay seconds in the file. */
export interface Column {
  word: string;
  unit?: 'seconds';
}

/** What a chart is drawn from: shown as a table, and the rows of its file. */
export interface Sheet {
  /** The file's name, without its ending. */
  file: string;
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
}

/** A cell as it is shown. */
export function shown(cell: Cell, column: Column | undefined): string {
  if (cell === null) return '-';
  return column?.unit === 'seconds' && typeof cell === 'number' ? plainDuration(cell) : String(cell);
}

/** The sheet as a file for spreadsheets (RFC 4180). */
export function csvOf({ columns, rows }: Sheet): string {
  const head = columns.map(({ word, unit }) => (unit ? `${word} (${unit})` : word));
  // The mark tells spreadsheets that it is UTF-8.
  return `\uFEFF${[head, ...rows].map((row) => row.map(field).join(',')).join('\r\n')}\r\n`;
}

// Spreadsheets run what begins like a formula, and titles of alerts come from outside.
const formula = /^[=+\-@\t\r]/;

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
