import type { ServiceJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { HealthMark } from '~/components/ui/mark';
import { Segmented } from '~/components/ui/segmented';
import { Bone } from '~/components/ui/skeleton';
import * as skeletonKit from '~/components/ui/skeleton.module.css';
import { Failed } from '~/components/ui/states';
import { Time } from '~/components/ui/time';
import { serviceSamples } from '~/data/services';
import { reasonOf } from '~/lib/api';
import { useNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { type Reading, readingsOf } from '../model/readings';
import * as styles from './service-status.module.css';

const ranges = [
  { value: '6', content: '6 hours' },
  { value: '24', content: '24 hours' },
  { value: '168', content: '7 days' },
  { value: '720', content: '30 days' },
] as const;
/** How many hours back is shown. */
export type Range = (typeof ranges)[number]['value'];

// Whether lines are drawn is not known before the readings are: as the last time, so that nothing jumps.
const key = 'service-lines';

// A browser without storage forgets, and leaves no room for lines.
function remember(drawn: boolean): void {
  try {
    localStorage.setItem(key, String(drawn));
  } catch {}
}

function lastDrawn(): boolean {
  try {
    return localStorage.getItem(key) === 'true';
  } catch {
    return false;
  }
}

function tilesOf(drawn: boolean): string {
  return drawn ? `${styles.tiles} ${styles.drawnIn}` : styles.tiles;
}

interface RangeProps {
  service: ServiceJson;
  range: Range;
}

/** How the service is: its health by its incidents, and what its programs measured. */
export function ServiceStatus({ service, range, onRange }: RangeProps & { onRange: (range: Range) => void }) {
  const readings = useQuery({ ...serviceSamples(service.id ?? '', Number(range)), select: readingsOf });
  const shown = { range: wordsOf(range), loading: readings.isPlaceholderData };
  const drawn = readings.data?.some(({ at, own }) => at && !own);
  useEffect(() => {
    if (drawn !== undefined) remember(drawn);
  }, [drawn]);
  return (
    <Card
      title="Service Status"
      className={styles.serviceState}
      actions={<Segmented<Range> label="Time range" choices={ranges} value={range} onChoose={onRange} />}
    >
      <dl className={tilesOf(drawn ?? lastDrawn())}>
        <Tile name="Health" note={openNote(service.open_incident_count ?? 0)}>
          <HealthMark value={service.health ?? 'healthy'} />
        </Tile>
        {readings.data
          ?.filter((reading) => !reading.own)
          .map((reading) => (
            <ReadingTile key={reading.name} reading={reading} {...shown} />
          ))}
        {readings.isPending && <TilesLoading />}
      </dl>
      {readings.isError && !readings.data && (
        <Failed detail={reasonOf(readings.error)} onRetry={() => readings.refetch()}>
          Failed to load readings
        </Failed>
      )}
    </Card>
  );
}

/** What the service's programs measure under names of their own, such as orders; nothing without any. */
export function BusinessMetrics({ service, range }: RangeProps) {
  const readings = useQuery({ ...serviceSamples(service.id ?? '', Number(range)), select: readingsOf });
  const shown = { range: wordsOf(range), loading: readings.isPlaceholderData };
  const own = readings.data?.filter((reading) => reading.own) ?? [];
  if (own.length === 0) return null;
  return (
    <Card title="Business metrics">
      <dl className={`${styles.tiles} ${styles.narrow}`}>
        {own.map((reading) => (
          <ReadingTile key={reading.name} reading={reading} {...shown} />
        ))}
      </dl>
    </Card>
  );
}

function wordsOf(range: Range): string {
  return ranges.find(({ value }) => value === range)?.content ?? '';
}

function Tile({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={styles.value}>{children}</dd>
      {note && <dd className={styles.note}>{note}</dd>}
    </div>
  );
}

function ReadingTile({
  reading: { label, known, value, unit, at, note, line },
  range,
  loading,
}: {
  reading: Reading;
  range: string;
  /** The reading is of the range before. */
  loading: boolean;
}) {
  const now = useNow(30_000);
  const said = loading ? `Loading ${range}` : note || noneWords(known, range);
  if (!at && value) {
    return (
      <Tile name={label} note={said}>
        {value} <small>{unit}</small>
      </Tile>
    );
  }
  if (!at) {
    return (
      <Tile name={label} note={said}>
        <span className={styles.none}>{known ? 'No data in this time' : 'No data reported yet'}</span>
      </Tile>
    );
  }
  return (
    <div>
      <dt>
        {label}
        <Time at={at}>{relativeTime(at, now)}</Time>
      </dt>
      <dd className={styles.value}>
        {value}
        {unit && <small> {unit}</small>}
      </dd>
      <dd className={styles.note}>{said}</dd>
      <dd className={styles.drawn} aria-hidden="true">
        <svg viewBox="0 0 240 40" preserveAspectRatio="none">
          <path d={line} />
        </svg>
        <span>{!loading && `${range} ago`}</span>
        <span>now</span>
      </dd>
    </div>
  );
}

function noneWords(known: boolean, range: string): string {
  return known ? `The last ${range} have none` : 'Nothing sent by this service so far';
}

/** The card before anything is known of the service. */
export function ServiceStatusLoading() {
  return (
    <section className={`${cardKit.card} ${styles.serviceState}`}>
      <header>
        <span className={skeletonKit.boneTitle}>Service Status</span>
      </header>
      <dl className={tilesOf(lastDrawn())}>
        <div>
          <dt>Health</dt>
          <dd className={`${styles.value} ${skeletonKit.boneText}`}>
            <Bone width="long" tall />
          </dd>
        </div>
        <TilesLoading />
      </dl>
    </section>
  );
}

const tilesThere = ['Uptime', 'Latency', 'Error rate'];

function TilesLoading() {
  return tilesThere.map((name) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd className={`${styles.value} ${skeletonKit.boneText}`}>
        <Bone width="long" tall />
      </dd>
    </div>
  ));
}

function openNote(count: number): string {
  if (count === 0) return 'No open incidents';
  return count === 1 ? 'Follows from 1 open incident' : `Follows from ${count} open incidents`;
}
