import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { later, useAhead } from '~/components/later';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { MoreRows } from '~/components/ui/portion';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { useChangeMany } from '~/data/incident-bulk';
import { atOnce, incidentCounts } from '~/data/incidents';
import { useSingleKeys } from '~/lib/keys';
import { mayAct } from '~/lib/role';
import { useStands } from '~/lib/settled-press';
import { useNow } from '~/lib/time/clock';
import { dateOf } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
import { type Filter, toFilter } from '../model/filter';
import { type Incident, needsAnswer } from '../model/incident';
import { IncidentTable } from './incident-table';
import * as styles from './incident-table.module.css';
import { ListTools } from './list-tools';
import { useListKeys } from './use-list-keys';
import { useNarrowed } from './use-narrowed';
import { useSelection } from './use-selection';

const BulkBar = later('What to do with the selected', () =>
  import('./bulk-bar').then((chunk) => chunk.BulkBar),
);

/** Search, filter, table, keys and bulk bar over the incidents, of which those that are loaded are given. */
export function IncidentList({ incidents }: { incidents: readonly Incident[] }) {
  const { text, asked, filter, setText, setFilter, showAll } = useListAddress();
  const wanted = useDeferredValue(text);
  const { shown, source, searching, narrow } = useNarrowed(filter, wanted, asked);
  // What there is among those that are loaded says nothing of the older ones.
  const unsearched = narrow && source.isError && source.data === undefined;
  const selection = useSelection(shown);
  const [cursor, setCursor] = useState<string | null>(null);
  const [keysOn, setKeysOn] = useSingleKeys();
  const search = useRef<HTMLInputElement>(null);
  const stands = useStands();
  useAhead(BulkBar);
  // Once there, the bar stays: it knows what is under way when nothing is selected any more.
  const selected = useRef(false);
  selected.current ||= selection.incidents.length > 0;
  const many = useChangeMany();
  // Selecting is for acting on many at once.
  const may = mayAct('responder');
  const counts = useQuery(incidentCounts).data;
  const total = counts && counts.triggered + counts.acknowledged + counts.resolved;
  const inAll = { all: total, open: counts?.triggered, closed: counts?.resolved }[filter];
  const everyOne = filter !== 'closed' && wanted.trim() === '' && selection.ids.size === shown.length;
  useListKeys({
    incidents: shown,
    cursor,
    search,
    may,
    onMove: setCursor,
    onToggle: selection.toggle,
    onAcknowledge: (id) => {
      const incidents = shown.filter((one) => one.id === id && needsAnswer(one));
      const asked = many.isPending && many.variables.incidents.some((one) => one.id === id);
      if (incidents.length > 0 && !asked) many.mutate({ incidents, verb: 'acknowledge' });
    },
    onClear: selection.clear,
  });
  return (
    <>
      <section className={cardKit.card} aria-label="Incident list">
        <ListTools
          text={text}
          filter={filter}
          searchRef={search}
          onText={setText}
          onFilter={setFilter}
          onSelectAll={may && shown.length > 0 ? () => selection.setAll(true) : undefined}
        />
        {shown.length > 0 ? (
          <IncidentTable
            incidents={shown}
            selection={selection.ids}
            cursor={cursor}
            stands={stands}
            onSelect={selection.set}
            onSelectAll={selection.setAll}
            onCursor={setCursor}
          />
        ) : (
          !searching &&
          !unsearched && (
            <NothingShown incidents={incidents} text={wanted} filter={filter} onShowAll={showAll} />
          )
        )}
        {searching && <Loading what="older incidents" />}
        {narrow && !searching && (
          <FetchFailed of={source}>
            {unsearched ? 'Older incidents could not be searched' : 'Failed to load incidents'}
          </FetchFailed>
        )}
        {!searching && source.hasNextPage && (
          <MoreRows
            source={source}
            words={moreWords(
              inAll === undefined || (narrow && wanted.trim() !== '') ? 0 : inAll - shown.length,
            )}
            onMore={() => void source.fetchNextPage()}
          />
        )}
      </section>
      <p className={styles.listFoot}>
        {narrow
          ? `${shown.length} shown${source.hasNextPage ? ', the newest' : ''}.`
          : `${shown.length} of ${incidents.length} shown${newestOf(incidents.length, total, source.hasNextPage)}.`}
        <span className="hide-phone">
          {' '}
          {keysOn
            ? `Keys: j k move, ${may ? 'x select, Enter open, a acknowledge' : 'Enter open'}, / search.`
            : 'Single-key shortcuts are off.'}{' '}
          <button type="button" className="link" onClick={() => setKeysOn(!keysOn)}>
            {keysOn ? 'Turn off' : 'Turn on'}
          </button>
        </span>
      </p>
      {selected.current && (
        <BulkBar
          selected={selection.incidents}
          unacknowledged={everyOne ? (counts?.triggered ?? 0) : 0}
          onDone={selection.drop}
          onClear={selection.clear}
        />
      )}
    </>
  );
}

interface NothingShownProps {
  incidents: readonly Incident[];
  text: string;
  filter: Filter;
  onShowAll: () => void;
}

function NothingShown({ incidents, text, filter, onShowAll }: NothingShownProps) {
  const now = useNow(60_000);
  if (incidents.length === 0)
    return <Empty>No incidents yet. They appear here the moment an alert arrives.</Empty>;
  if (text.trim() !== '')
    return (
      <Empty action={<Button onClick={onShowAll}>Show all incidents</Button>}>
        No incident matches "{text.trim()}".
      </Empty>
    );
  if (filter === 'closed') return <Empty>Nothing has been resolved yet.</Empty>;
  const last = incidents.map((one) => one.resolvedAt?.getTime() ?? 0).reduce((a, b) => Math.max(a, b), 0);
  return (
    <Empty>
      No open incidents.{last > 0 && ` The last one was resolved ${relativeTime(dateOf(last), now)}.`}
    </Empty>
  );
}

// That there are more is known before how many there are.
function newestOf(loaded: number, total: number | undefined, more: boolean): string {
  if (total !== undefined && total > loaded) return `, the newest of ${total}`;
  return more ? ', the newest' : '';
}

// How many are left is not known of a search.
function moreWords(left: number): string {
  return left > 0 ? `${Math.min(atOnce, left)} more of ${left}` : 'more';
}

const writeAfter = 300;

// Search and filter live in the address, so that going back from an incident finds the same list.
// Typing is written there only when it pauses; a navigation for every key would be too slow.
function useListAddress() {
  const [params, setParams] = useSearchParams();
  const filter = toFilter(params.get('filter'));
  const [text, setText] = useState(params.get('q') ?? '');
  const write = (text: string, filter: Filter) =>
    setParams(
      { ...(text === '' ? {} : { q: text }), ...(filter === 'all' ? {} : { filter }) },
      { replace: true, preventScrollReset: true },
    );
  const latest = useRef(() => undefined as unknown);
  latest.current = () => text !== (params.get('q') ?? '') && write(text, filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every key starts the pause again.
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), writeAfter);
    return () => clearTimeout(timer);
  }, [text]);
  const showAll = () => {
    setText('');
    write('', 'all');
  };
  const asked = params.get('q') ?? '';
  return { text, asked, filter, setText, setFilter: (chosen: Filter) => write(text, chosen), showAll };
}
