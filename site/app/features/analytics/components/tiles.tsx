import * as cardKit from '~/components/ui/card.module.css';
import { CopyButton } from '~/components/ui/copy-button';
import { plainDuration } from '~/lib/time/words';
import type { Figures } from '../model/sheets';
import { type Change, countChange, spanOf, summary, timeChange } from '../model/words';
import * as styles from './tiles.module.css';

/** The period in five figures, and in a paragraph that can be passed on. */
export function Tiles({ of }: { of: Figures }) {
  const { period = {}, before } = of;
  const [now, then] = [period.figures ?? {}, before?.figures];
  const pages = of.pagesCompared ? before : undefined;
  const text = summary(period, before, of.pagesCompared);
  return (
    <>
      <section className={`${cardKit.card} ${styles.summary}`} aria-label="Summary">
        <p>{text}</p>
        <CopyButton text={text} word="Copy as text" />
      </section>
      <div className={styles.tiles}>
        <Tile
          word="Incidents"
          value={String(now.incident_count ?? 0)}
          change={countChange(now.incident_count ?? 0, then && (then.incident_count ?? 0))}
        />
        <Tile
          word="MTTA"
          title="Mean time to acknowledge"
          value={now.mtta_seconds === undefined ? 'None yet' : plainDuration(now.mtta_seconds)}
          change={timeChange(now.mtta_seconds, then?.mtta_seconds)}
        />
        <Tile
          word="MTTR"
          title="Mean time to resolve"
          value={now.mttr_seconds === undefined ? 'None yet' : plainDuration(now.mttr_seconds)}
          change={timeChange(now.mttr_seconds, then?.mttr_seconds)}
        />
        <Tile
          word="Pages"
          value={String(now.page_count ?? 0)}
          change={countChange(now.page_count ?? 0, pages && (pages.figures?.page_count ?? 0))}
        />
        <Tile
          word="Nights disturbed"
          value={String(period.disturbed_night_count ?? 0)}
          change={countChange(period.disturbed_night_count ?? 0, pages && (pages.disturbed_night_count ?? 0))}
        />
      </div>
      {of.compared && <p className="visually-hidden">Compared with {spanOf(before)}.</p>}
    </>
  );
}

interface TileProps {
  word: string;
  /** What an abbreviation stands for. */
  title?: string;
  value: string;
  change: Change | undefined;
}

function Tile({ word, title, value, change }: TileProps) {
  return (
    <section className={`${cardKit.card} ${styles.tile}`} aria-label={word}>
      <h2>{title ? <abbr title={title}>{word}</abbr> : word}</h2>
      <p className={styles.value}>{value}</p>
      <p className={styles.change} data-better={change?.better}>
        {change && `${change.words} than before`.replace(/^as (\w+) than/, 'as $1 as')}
      </p>
    </section>
  );
}
