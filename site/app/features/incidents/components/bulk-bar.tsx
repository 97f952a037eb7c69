import { useEffect, useRef } from 'react';
import { Button, IconButton } from '~/components/ui/button';
import { useAcknowledgeAll, useChangeMany } from '~/data/incident-bulk';
import { useGone } from '~/lib/after-close';
import { useKeptFocus } from '~/lib/kept-focus';
import { useSettledPress } from '~/lib/settled-press';
import { type Incident, needsAnswer } from '../model/incident';
import * as styles from './bulk-bar.module.css';

interface BulkBarProps {
  selected: readonly Incident[];
  /** How many are unacknowledged beyond the loaded ones, when all of these are selected; else 0. */
  unacknowledged: number;
  onDone: (changed: readonly string[]) => void;
  onClear: () => void;
}

/** What can be done to the selected incidents at once. Each button takes only those it applies to. */
export function BulkBar({ selected, unacknowledged, onDone, onClear }: BulkBarProps) {
  const gone = useGone();
  const change = useChangeMany({
    onDone,
    isSelected: (id) => !gone.current && selected.some((one) => one.id === id),
  });
  const all = useAcknowledgeAll();
  // A double click is faster than the buttons are disabled.
  const sent = useRef(false);
  const once = (act: () => void) => {
    if (sent.current) return;
    sent.current = true;
    act();
  };
  const run = (verb: 'acknowledge' | 'resolve', incidents: readonly Incident[]) =>
    once(() => change.mutate({ incidents, verb }));
  const busy = change.isPending || all.isPending;
  // Not by the call's own end: a Retry in between takes that away.
  useEffect(() => {
    if (!busy) sent.current = false;
  });
  const place = useKeptFocus<HTMLSpanElement>(busy);
  const waiting = selected.filter(needsAnswer);
  const acknowledged = selected.filter(({ status }) => status === 'acknowledged');
  const more = unacknowledged > waiting.length;
  const settled = useSettledPress(
    waiting.length > 0 || more ? 'acknowledge' : acknowledged.length > 0 ? 'resolve' : '',
  );
  if (selected.length === 0) return null;
  return (
    <section className={styles.bulkBar} aria-label="Selected incidents">
      <span className="strong">{selected.length} selected</span>
      <span className={styles.separator} />
      {/* Without the way to clear the selection: the focus comes back to one of these, or leaves the bar. */}
      <span ref={place} className={styles.acts}>
        {(waiting.length > 0 || more) && (
          <Button
            look="person"
            size="sm"
            disabled={busy}
            onClick={settled(() =>
              more ? once(() => all.mutate(selected, { onSuccess: onClear })) : run('acknowledge', waiting),
            )}
          >
            {more ? `Acknowledge all ${unacknowledged}` : `Acknowledge ${waiting.length}`}
          </Button>
        )}
        {acknowledged.length > 0 && (
          <Button
            size="sm"
            icon="check"
            disabled={busy}
            onClick={settled(() => run('resolve', acknowledged))}
          >
            Resolve {acknowledged.length}
          </Button>
        )}
      </span>
      {waiting.length + acknowledged.length === 0 && !more && (
        <span className="text-2">Nothing to do, they are resolved.</span>
      )}
      <IconButton icon="x" label="Clear selection" size="sm" onClick={onClear} />
    </section>
  );
}
