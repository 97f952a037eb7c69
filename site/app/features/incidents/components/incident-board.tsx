import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router';
import { Avatar } from '~/components/ui/avatar';
import { Badge, Count } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { FilterField } from '~/components/ui/filter-field';
import { StatusMark } from '~/components/ui/mark';
import { usePortion } from '~/components/ui/portion';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
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
import { holder, type Incident, needsAnswer, toRows } from '../model/incident';
import { BoardFilters } from './board-filters';
import * as styles from './incident-board.module.css';

const columns = ['Incident', 'Status', 'Priority', 'Service', 'Created At', 'Assigned To'];

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
  const { shown, more } = usePortion(found, { source: list });
  const clear = { q: '', status: '', severity: '', service: '', assignee: '' };
  return (
    <>
      <div className={styles.tools}>
        <FilterField
          label="Search incidents"
          text={filter.text}
          onChange={(q) => onChange({ q })}
          shown={found.length}
          total={loaded.length}
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
      {shown.length > 0 && <Rows incidents={shown} />}
      {more}
    </>
  );
}

function Rows({ incidents }: { incidents: readonly Incident[] }) {
  const now = useNow(15_000);
  const hueOf = useHues();
  return (
    <table className={`${tableKit.table} ${styles.boardTable}`}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {incidents.map((incident) => {
          const person = holder(incident);
          return (
            <tr key={incident.id} className={needsAnswer(incident) ? styles.needed : undefined}>
              <td className={styles.incident}>
                <span className="mono text-3">{shortId(incident.id)}</span>{' '}
                <Link to={paths.incident(incident.id)}>{incident.title}</Link>
              </td>
              <td>
                <StatusMark value={incident.status} />
              </td>
              <td>
                <Badge tone={incident.severity === 'critical' ? 'critical' : undefined}>
                  {priorityOf(incident.severity)}
                </Badge>
              </td>
              <td className={`${styles.service} text-2`}>{incident.serviceName}</td>
              <td className={`${styles.created} text-2`}>
                <Time at={incident.triggeredAt}>{relativeTime(incident.triggeredAt, now)}</Time>
              </td>
              <td className={styles.assigned}>
                {person ? (
                  <span className={styles.person}>
                    <Avatar name={person.name} hue={hueOf(person.id)} />
                    <span className="ellipsis">{person.name}</span>
                  </span>
                ) : (
                  <span className="text-2">Unassigned</span>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
