import type { ReactNode } from 'react';
import * as cardKit from '~/components/ui/card.module.css';
import { StatusMark } from '~/components/ui/mark';
import type { Counts } from '~/data/incidents';
import { useNow } from '~/lib/time/clock';
import { duration } from '~/lib/time/words';
import { oldestStart } from '../model/counts';
import type { Incident } from '../model/incident';
import * as styles from './count-cards.module.css';

interface CountCardsProps {
  /** Null while they are not known; a dash then stands for each. */
  counts: Counts | null;
  /** The open ones; undefined while they are not known. */
  incidents: readonly Incident[] | undefined;
}

/** How many nobody has, how many somebody has, and how many are done. */
export function CountCards({ counts, incidents }: CountCardsProps) {
  return (
    <div className={styles.counts}>
      <CountCard
        status="triggered"
        word="Unacknowledged"
        value={counts?.triggered}
        needed={(counts?.triggered ?? 0) > 0}
      >
        <Since
          count={counts?.triggered}
          start={incidents && oldestStart(incidents, 'triggered')}
          words="Waiting for"
          otherwise="Nobody is needed"
        />
      </CountCard>
      <CountCard status="acknowledged" word="Acknowledged" value={counts?.acknowledged}>
        <Since
          count={counts?.acknowledged}
          start={incidents && oldestStart(incidents, 'acknowledged')}
          words="Oldest open for"
          otherwise="None under way"
        />
      </CountCard>
      <CountCard status="resolved" word="Resolved" value={counts?.resolved}>
        In all
      </CountCard>
    </div>
  );
}

function CountCard({
  status,
  word,
  value,
  needed = false,
  children,
}: {
  status: string;
  word: string;
  value: number | undefined;
  needed?: boolean;
  children: ReactNode;
}) {
  return (
    <section
      className={
        needed
          ? `${cardKit.card} ${styles.countCard} ${styles.needed}`
          : `${cardKit.card} ${styles.countCard}`
      }
      aria-label={word}
    >
      <StatusMark value={status} word={word} />
      <p className={styles.value}>{value ?? '-'}</p>
      <p className={styles.since}>{value !== undefined && children}</p>
    </section>
  );
}

interface SinceProps {
  count: number | undefined;
  start: Date | null | undefined;
  words: string;
  otherwise: string;
}

// Only a count of 0 says that there is none; a list that did not load says nothing.
function Since({ count, start, words, otherwise }: SinceProps) {
  const now = useNow(1000);
  if (count === 0) return otherwise;
  if (!start) return null;
  return `${words} ${duration((now.getTime() - start.getTime()) / 1000)}`;
}
