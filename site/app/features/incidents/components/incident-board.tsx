import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Badge, Count } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { DataTable } from '~/components/ui/data-table';
import { FilterField } from '~/components/ui/filter-field';
import { StatusMark } from '~/components/ui/mark';
import type { More } from '~/components/ui/portion';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { Tabs } from '~/components/ui/tabs';
import { Time } from '~/components/ui/time';
import { incidentCounts, incidentList } from '~/data/incidents';
import { useHues } from '~/data/members';
import { useAddressParams } from '~/lib/address-params';
import { paths } from '~/lib/paths';
import { useNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { shortId } from '~/lib/words';
import { chosen, filterOf, passing, priorityOf } from '../model/board';
import { holder, type Incident, needsAnswer, type Person, toRows } from '../model/incident';
import { BoardFilters } from './board-filters';
import * as styles from './incident-board.module.css';

/** Open and closed incidents with their counts. The tab, the text and the filter stand in the address, so that they can be passed on. */
export function IncidentBoard() {
  const [params, setParams] = useAddressParams();
  const view = params.get('view') === 'closed' ? 'closed' : 'open';
  const counts = useQuery(incidentCounts).data;
  const set = (change: Record<string, string>) =>
    setParams((current) =>
      Object.fromEntries(
        Object.entries({ ...Object.fromEntries(current), ...change }).filter(([, value]) => value !== ''),
      ),
    );
  return (
    <section className={`${cardKit.card} ${styles.board}`} aria-label="Incidents">
      <Tabs
        label="Incidents"
        tabs={[
          { value: 'open', word: <Word count={counts && counts.triggered + counts.acknowledged}>Open</Word> },
          { value: 'closed', word: <Word count={counts?.resolved}>Closed</Word> },
        ]}
        value={view}
        onChoose={(next) => set({ view: next === 'closed' ? next : '', status: '' })}
      >
        <Board key={view} view={view} params={params} onChange={set} />
      </Tabs>
    </section>
  );
}

function Word({ count, children }: { count: number | undefined; children: string }) {
  return (
    <span className={styles.word}>
      {children} <Count value={count ?? '-'} />
    </span>
  );
}

interface BoardProps {
  view: 'open' | 'closed';
  params: URLSearchParams;
  onChange: (change: Record<string, string>) => void;
}

function Board({ view, params, onChange }: BoardProps) {
  const status = view === 'open' ? 'open' : 'resolved';
  const list = useInfiniteQuery({ ...incidentList({ status }), select: toRows });
  const filter = filterOf(params);
  const [filtering, setFiltering] = useState(chosen(filter) > 0);
  // A row that was resolved here changes before the list is asked for again.
  const loaded = (list.data ?? []).filter((one) => (one.status === 'resolved') === (view === 'closed'));
  const found = passing(loaded, useDeferredValue(filter));
  const clear = { q: '', status: '', severity: '', service: '', assignee: '' };
  return (
    <>
      <div className={styles.tools}>
        <FilterField
          label="Search incidents"
          text={filter.text}
          onChange={(q) => onChange({ q })}
          shown={found.length}
          total={list.data && loaded.length}
        />
        <Button icon="filter" aria-expanded={filtering} onClick={() => setFiltering(!filtering)}>
          Filter
          {chosen(filter) > 0 && <Count value={chosen(filter)} label="chosen" />}
        </Button>
      </div>
      {filtering && <BoardFilters incidents={loaded} filter={filter} view={view} onChange={onChange} />}
      {list.isPending && <Loading what="incidents" />}
      <FetchFailed of={list}>Failed to load incidents</FetchFailed>
      {list.data && loaded.length === 0 && (
        <Empty>{view === 'open' ? 'No open incidents.' : 'Nothing has been resolved yet.'}</Empty>
      )}
      {loaded.length > 0 && found.length === 0 && (
        <Empty action={<Button onClick={() => onChange(clear)}>Show all</Button>}>
          No {view} incident matches{list.hasNextPage ? ' among those that are loaded' : ''}.
        </Empty>
      )}
      {(found.length > 0 || list.hasNextPage) && (
        <Rows label={`${view === 'open' ? 'Open' : 'Closed'} incidents`} incidents={found} source={list} />
      )}
    </>
  );
}

interface RowsProps {
  label: string;
  incidents: readonly Incident[];
  source: More;
}

function Rows({ label, incidents, source }: RowsProps) {
  const now = useNow(15_000);
  const hueOf = useHues();
  return (
    <DataTable
      className={styles.boardTable}
      label={label}
      rows={incidents}
      source={source}
      keyOf={({ id }) => id}
      rowProps={(incident) => ({ className: needsAnswer(incident) ? styles.needed : undefined })}
      columns={[
        {
          head: 'Incident',
          className: styles.incident,
          cell: ({ id, title }) => (
            <>
              <span className="mono text-3">{shortId(id)}</span> <Link to={paths.incident(id)}>{title}</Link>
            </>
          ),
        },
        { head: 'Status', cell: ({ status }) => <StatusMark value={status} /> },
        {
          head: 'Priority',
          cell: ({ severity }) => (
            <Badge tone={severity === 'critical' ? 'critical' : undefined}>{priorityOf(severity)}</Badge>
          ),
        },
        {
          head: 'Service',
          className: `${styles.service} text-2`,
          cell: ({ serviceName }) => serviceName,
        },
        {
          head: 'Created At',
          className: `${styles.created} text-2`,
          cell: ({ triggeredAt }) => <Time at={triggeredAt}>{relativeTime(triggeredAt, now)}</Time>,
        },
        {
          head: 'Assigned To',
          className: styles.assigned,
          cell: (incident) => <Holder person={holder(incident)} hueOf={hueOf} />,
        },
      ]}
    />
  );
}

interface HolderProps {
  person: Person | null;
  hueOf: ReturnType<typeof useHues>;
}

function Holder({ person, hueOf }: HolderProps) {
  if (!person) return <span className="text-2">Unassigned</span>;
  return (
    <span className={styles.person}>
      <Avatar name={person.name} hue={hueOf(person.id)} />
      <span className="ellipsis">{person.name}</span>
    </span>
  );
}
