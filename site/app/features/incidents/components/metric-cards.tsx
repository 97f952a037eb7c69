import { useQuery } from '@tanstack/react-query';
import * as cardKit from '~/components/ui/card.module.css';
import { FetchFailed } from '~/components/ui/states';
import { incidentCounts, incidentMetrics } from '~/data/incidents';
import { duration } from '~/lib/time/words';
import { type Change, countChange, timeChange } from '../model/metrics';
import * as styles from './metric-cards.module.css';

/** What is open, and how soon people answered and it was over in the last week, beside the week before. */
export function MetricCards() {
  const counts = useQuery(incidentCounts).data;
  const metrics = useQuery(incidentMetrics);
  const { current, before } = metrics.data ?? {};
  // The counts follow the live feed; the metrics come by the minute.
  const open = counts && counts.triggered + counts.acknowledged;
  const known = metrics.data !== undefined;
  return (
    <>
      <div className={styles.metrics}>
        <MetricCard
          word="Open Incidents"
          value={open === undefined ? undefined : String(open)}
          change={countChange(open, known ? (before?.open_count ?? 0) : undefined)}
        />
        <MetricCard
          word="MTTA"
          title="Mean time to acknowledge"
          value={figure(current?.mtta_seconds, known)}
          change={timeChange(current?.mtta_seconds, before?.mtta_seconds)}
        />
        <MetricCard
          word="MTTR"
          title="Mean time to resolve"
          value={figure(current?.mttr_seconds, known)}
          change={timeChange(current?.mttr_seconds, before?.mttr_seconds)}
        />
      </div>
      <FetchFailed of={metrics} card>
        Failed to load metrics
      </FetchFailed>
    </>
  );
}

interface MetricCardProps {
  word: string;
  /** What an abbreviation stands for. */
  title?: string;
  /** Undefined while it is not known. */
  value: string | undefined;
  change: Change | null;
}

function MetricCard({ word, title, value, change }: MetricCardProps) {
  return (
    <section className={`${cardKit.card} ${styles.metric}`} aria-label={word}>
      <h2>{title ? <abbr title={title}>{word}</abbr> : word}</h2>
      <p className={styles.value}>{value ?? '-'}</p>
      <p className={styles.change}>
        {change && (
          <>
            <b data-better={change.better}>{change.lead}</b> {change.rest}
          </>
        )}
      </p>
    </section>
  );
}

function figure(seconds: number | undefined, known: boolean): string | undefined {
  if (!known) return undefined;
  return seconds === undefined ? 'None yet' : duration(seconds);
}
