import { type ReactNode, useId, useState } from 'react';
import { Button, IconButton } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import * as tableKit from '~/components/ui/table.module.css';
import { saveFile } from '~/lib/save-file';
import { csvOf, type Sheet, shown } from '../model/sheet';
import * as styles from './figure-card.module.css';

interface FigureCardProps {
  title: string;
  /** What it counts by, beside the title. */
  note?: string;
  /** The number that says it all, and a sentence about it. */
  figure: string;
  sentence: ReactNode;
  sheet: Sheet;
  /** The picture, which the table can take the place of. */
  children: ReactNode;
}

/** A chart with its number, the table behind it one press away, and both as a file. */
export function FigureCard({ title, note, figure, sentence, sheet, children }: FigureCardProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <section className={`${cardKit.card} ${styles.figureCard}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note && <span className={`${styles.note} hide-phone`}>{note}</span>}
        <Button
          look="quiet"
          size="sm"
          icon={asTable ? 'chart' : 'table'}
          labels={['Show table', 'Show chart']}
          aria-describedby={id}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Show chart' : 'Show table'}
        </Button>
        <IconButton
          icon="download"
          size="sm"
          label={`Download ${title} as CSV`}
          title="Download CSV"
          onClick={() => saveFile(`${sheet.file}.csv`, csvOf(sheet))}
        />
      </header>
      <div className={styles.headline}>
        <p className={styles.figure}>{figure}</p>
        <p className="text-2">{sentence}</p>
      </div>
      {asTable ? <SheetTable sheet={sheet} label={title} /> : children}
    </section>
  );
}

/** All rows behind a chart. It scrolls by itself, so it can be reached by the keyboard. */
function SheetTable({ sheet: { columns, rows }, label }: { sheet: Sheet; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className={styles.sheet} tabIndex={0} aria-label={`${label}: table`}>
      <table className={tableKit.table}>
        <thead>
          <tr>
            {columns.map(({ word }) => (
              <th key={word} scope="col">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and none moves.
            <tr key={n}>
              {row.map((cell, at) => (
                <td key={columns[at]?.word} data-number={typeof cell === 'number' || undefined}>
                  {shown(cell, columns[at])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="text-2">Nothing in this period.</p>}
    </section>
  );
}
