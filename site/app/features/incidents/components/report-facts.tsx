import type { AlertReportJson } from '@nightbell/proto';
import { AddressLink } from '~/components/ui/address-link';
import { Time } from '~/components/ui/time';
import { useNow } from '~/lib/time/clock';
import { toDate } from '~/lib/time/instant';
import { nightTime, relativeTime } from '~/lib/time/words';
import * as styles from './report-card.module.css';

/** How often it occurred, since when and how recently. */
export function Occurrences({ report }: { report: AlertReportJson }) {
  const now = useNow(10_000);
  const count = report.occurrence_count ?? 0;
  const first = toDate(report.first_seen_at);
  const last = toDate(report.last_seen_at);
  return (
    <p className={styles.occurrences}>
      <b>{count === 1 ? '1 occurrence' : `${count.toLocaleString('en')} occurrences`}</b>
      {first && count > 1 && <Seen word="first" at={first} now={now} />}
      {last && <Seen word={count > 1 ? 'last' : ''} at={last} now={now} />}
    </p>
  );
}

function Seen({ word, at, now }: { word: string; at: Date; now: Date }) {
  return (
    <span>
      {word}{' '}
      <Time at={at}>
        {relativeTime(at, now)}, {nightTime(at, now)}
      </Time>
    </span>
  );
}

/** What the latest occurrence said in single words. */
export function ReportFacts({
  report,
  tags = {},
}: {
  report: AlertReportJson;
  tags?: Record<string, string>;
}) {
  const facts = [
    ['Operation', report.operation],
    ['User', words(report.user)],
    ['Environment', report.environment],
    ['Release', report.release],
    ['Trace', words(report.trace)],
    ['Tags', words(tags)],
    ['Fingerprint', report.error?.fingerprint],
  ].filter(([, value]) => value);
  if (facts.length === 0) return null;
  return (
    <>
      <h3 className={styles.latest}>Latest occurrence</h3>
      <dl className={styles.reportFacts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** What the latest occurrence said at length: folded, because it is looked up and not read. */
export function ReportedData({ report: { metadata, links = [], error } }: { report: AlertReportJson }) {
  const crumbs = error?.breadcrumbs ?? [];
  // The address comes from whoever sent the event; anything but http would be an attack.
  const pages = links.filter(({ href }) => /^https?:\/\//.test(href ?? ''));
  return (
    <div className={styles.reported}>
      {pages.length > 0 && (
        <p className={styles.links}>
          {pages.map(({ href, text }) => (
            <AddressLink key={href} className="link" to={href ?? ''}>
              {text ?? href}
            </AddressLink>
          ))}
        </p>
      )}
      {crumbs.length > 0 && (
        <details>
          <summary>{crumbs.length === 1 ? '1 step before it' : `${crumbs.length} steps before it`}</summary>
          <ol className={styles.crumbs}>
            {crumbs.map((crumb, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have nothing else that names them.
              <Crumb key={place} crumb={crumb as Record<string, unknown>} />
            ))}
          </ol>
        </details>
      )}
      {metadata && Object.keys(metadata).length > 0 && (
        <details>
          <summary>Metadata</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
          <pre tabIndex={0}>{JSON.stringify(metadata, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}

function Crumb({ crumb: { at, message, ...rest } }: { crumb: Record<string, unknown> }) {
  const time = typeof at === 'string' ? toDate(at) : null;
  return (
    <li>
      {time && (
        <Time at={time} className="mono">
          {nightTime(time, new Date())}
        </Time>
      )}
      <span>
        {typeof message === 'string' && message} <span className="text-3">{words(rest)}</span>
      </span>
    </li>
  );
}

// "u1, plan pro": an id needs no name, and what is nested stays JSON.
function words(fields: unknown): string {
  return Object.entries(fields ?? {})
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return name === 'id' || name === 'trace_id' ? text : `${name} ${text}`;
    })
    .join(', ');
}
