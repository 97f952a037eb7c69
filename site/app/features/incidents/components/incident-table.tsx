import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { memo, type RefObject, useEffect, useRef } from 'react';
import { Checkbox } from '~/components/ui/checkbox';
import * as tableKit from '~/components/ui/table.module.css';
import { mayAct } from '~/lib/role';
import { useTop } from '~/lib/settled-press';
import { useNow } from '~/lib/time/clock';
import type { Incident } from '../model/incident';
import { IncidentRow } from './incident-row';
import * as styles from './incident-table.module.css';

const rowHeight = 41;
const phoneRowHeight = 140;
const columns = ['Incident ID', 'Summary', 'Status', 'Severity', 'Assignee', 'Created', 'Actions'];

interface IncidentTableProps {
  incidents: readonly Incident[];
  selection: ReadonlySet<string>;
  /** The row the keyboard is on; moving it brings the row into view and focuses its title. */
  cursor: string | null;
  /** Whether the list stands already, with or without rows. */
  stands: RefObject<boolean>;
  onSelect: (id: string, selected: boolean) => void;
  onSelectAll: (selected: boolean) => void;
  onCursor: (id: string) => void;
}

/** The list. Only the rows near the window are in the page, so a thousand cost as little as thirty. */
export const IncidentTable = memo(function IncidentTable({
  incidents,
  selection,
  cursor,
  stands,
  onSelect,
  onSelectAll,
  onCursor,
}: IncidentTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const now = useNow(15_000);
  const top = useTop(body);
  const rows = useRows(incidents, top);
  useFocusOnCursor(incidents, cursor, rows.scrollToIndex);
  const items = rows.getVirtualItems();
  const before = (items[0]?.start ?? top) - top;
  const after = rows.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  return (
    <table
      className={`${tableKit.table} ${styles.incidentTable}`}
      aria-rowcount={incidents.length + 1}
      aria-label="Incidents"
    >
      <Head
        all={incidents.length > 0 && selection.size >= incidents.length}
        some={selection.size > 0}
        onSelectAll={onSelectAll}
      />
      <tbody ref={body}>
        <Gap height={before} />
        {items.map(({ index }) => {
          const incident = incidents[index];
          if (!incident) return null;
          return (
            <IncidentRow
              key={incident.id}
              incident={incident}
              index={index}
              top={top}
              stands={stands}
              now={now}
              rowRef={rows.measureElement}
              selected={selection.has(incident.id)}
              onSelect={onSelect}
              onFocus={onCursor}
            />
          );
        })}
        <Gap height={after} />
      </tbody>
    </table>
  );
});

function Head({
  all,
  some,
  onSelectAll,
}: {
  all: boolean;
  some: boolean;
  onSelectAll: (selected: boolean) => void;
}) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">
          {mayAct('responder') ? (
            <Checkbox label="Select all" checked={all} some={some && !all} onChange={onSelectAll} />
          ) : (
            <span className="visually-hidden">Selection</span>
          )}
        </th>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

// Stands for the rows that are not in the page. The height goes through the style object, not an attribute.
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in this row can take focus.
    <tr className={styles.gap} aria-hidden="true">
      <td colSpan={columns.length + 1} style={{ height }} />
    </tr>
  );
}

// What was measured when the list was left: with guesses instead, Back would not find its place.
let measured: VirtualItem[] = [];

function useRows(incidents: readonly Incident[], scrollMargin: number) {
  const rows = useWindowVirtualizer({
    initialMeasurementsCache: measured,
    count: incidents.length,
    estimateSize: () => (window.innerWidth > 900 ? rowHeight : phoneRowHeight),
    getItemKey: (index) => incidents[index]?.id ?? index,
    overscan: 12,
    scrollMargin,
  });
  useEffect(
    () => () => {
      measured = rows.takeSnapshot();
    },
    [rows],
  );
  return rows;
}

// The row may enter the page only some frames after the scroll.
const framesToWait = 120;

function useFocusOnCursor(
  incidents: readonly Incident[],
  cursor: string | null,
  scrollToIndex: (index: number, options?: { align: 'auto' }) => void,
): void {
  // The list changes under a resting cursor; only a moving one takes the focus.
  const latest = useRef({ incidents, scrollToIndex });
  latest.current = { incidents, scrollToIndex };
  useEffect(() => {
    if (cursor === null || rowOf(cursor)?.contains(document.activeElement)) return;
    const index = latest.current.incidents.findIndex((incident) => incident.id === cursor);
    if (index < 0) return;
    latest.current.scrollToIndex(index, { align: 'auto' });
    let frames = 0;
    let frame = requestAnimationFrame(function focus() {
      const title = rowOf(cursor)?.querySelector<HTMLElement>('a');
      if (title) title.focus({ preventScroll: true });
      else if (frames++ < framesToWait) frame = requestAnimationFrame(focus);
    });
    return () => cancelAnimationFrame(frame);
  }, [cursor]);
}

function rowOf(id: string): HTMLElement | null {
  return document.querySelector(`[data-row="${CSS.escape(id)}"]`);
}
