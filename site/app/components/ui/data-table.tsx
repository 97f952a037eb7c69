import {
  type ComponentPropsWithoutRef,
  memo,
  type ReactNode,
  useDeferredValue,
  useMemo,
  useState,
} from 'react';
import { FilterField } from './filter-field';
import { type More, usePortion } from './portion';
import { Empty } from './states';
import * as styles from './table.module.css';

/** One column of a table: what stands above it, and what a row has there. */
export interface Column<Row> {
  head: string;
  /** Above buttons, which say themselves what they do: the heading is for screen readers. */
  quiet?: boolean;
  className?: string;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string | undefined;
  /** What is not a column is left out, so that a condition can stand here. */
  columns: readonly (Column<Row> | false)[];
  className?: string;
  /** Marks or handlers of a row. */
  rowProps?: (row: Row, index: number) => ComponentPropsWithoutRef<'tr'> & Record<`data-${string}`, unknown>;
  /** All rows, where these are one page of them. */
  rowCount?: number;
  /** A field above that narrows the rows to those with these words in them, and what it says when none has. */
  filter?: { label: string; none: string; words: (row: Row) => readonly (string | undefined)[] };
  /** What is said in place of the rows when there is none. */
  empty?: ReactNode;
  /** The list on the server, and how many rows are shown at first. */
  source?: More;
  first?: number;
}

/**
 * A table with its filter, a hundred rows at a time. On a phone each row is a small card whose layout is
 * the page's; `--cell-y` is the space above and below what a cell holds.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    rows,
    keyOf,
    columns,
    className = '',
    rowProps,
    rowCount,
    filter,
    empty,
    source,
    first,
  } = props;
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text).trim().toLowerCase();
  const words = filter?.words;
  const found = useMemo(() => (words ? withWords(rows, wanted, words) : rows), [rows, wanted, words]);
  const { shown, more } = usePortion(found, { source, first });
  if (rows.length === 0 && empty) return <Empty>{empty}</Empty>;
  return (
    <>
      {filter && (
        <FilterField
          label={filter.label}
          text={text}
          onChange={setText}
          shown={found.length}
          total={rows.length}
        />
      )}
      {filter && found.length === 0 && <Empty>{filter.none}</Empty>}
      {found.length > 0 && (
        <table
          className={`${styles.table} ${styles.stacks} ${className}`}
          aria-label={label}
          aria-rowcount={rowCount === undefined ? undefined : rowCount + 1}
        >
          <thead>
            <tr>
              {columns.map(
                (column) =>
                  column && (
                    <th key={column.head} scope="col">
                      {column.quiet ? <span className="visually-hidden">{column.head}</span> : column.head}
                    </th>
                  ),
              )}
            </tr>
          </thead>
          <Rows rows={shown} keyOf={keyOf} columns={columns} rowProps={rowProps} />
        </table>
      )}
      {more}
    </>
  );
}

// A letter in the filter draws the letter alone: nothing that is given here changes with it.
const Rows = memo(function Rows<Row>({
  rows,
  keyOf,
  columns,
  rowProps,
}: Pick<DataTableProps<Row>, 'rows' | 'keyOf' | 'columns' | 'rowProps'>) {
  return (
    <tbody>
      {rows.map((row, index) => (
        <tr key={keyOf(row)} {...rowProps?.(row, index)}>
          {columns.map(
            (column) =>
              column && (
                <td key={column.head} className={column.className}>
                  {column.cell(row)}
                </td>
              ),
          )}
        </tr>
      ))}
    </tbody>
  );
}) as <Row>(props: Pick<DataTableProps<Row>, 'rows' | 'keyOf' | 'columns' | 'rowProps'>) => ReactNode;

function withWords<Row>(
  rows: readonly Row[],
  wanted: string,
  words: (row: Row) => readonly (string | undefined)[],
): readonly Row[] {
  if (wanted === '') return rows;
  return rows.filter((row) => words(row).some((word) => word?.toLowerCase().includes(wanted)));
}
