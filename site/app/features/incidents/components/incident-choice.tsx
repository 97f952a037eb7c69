import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import * as fieldStyles from '~/components/ui/field.module.css';
import { Icon } from '~/components/ui/icon';
import { SeverityMark } from '~/components/ui/mark';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { incidentList } from '~/data/incidents';
import { useSettledPress } from '~/lib/settled-press';
import { useNow } from '~/lib/time/clock';
import { relativeTime } from '~/lib/time/words';
import { shortId } from '~/lib/words';
import { type Incident, toRows } from '../model/incident';
import * as styles from './choice-list.module.css';
import { choiceState } from './choice-state';

// As many as a person looks through; more are found by typing.
const shownAtOnce = 8;

interface IncidentChoiceProps {
  /** The incident itself, and those that cannot be chosen. */
  without: readonly string[];
  /** Only incidents that are not resolved. */
  open?: boolean;
  /** The id of the one that was chosen and is being stored. */
  doing?: string;
  onChoose: (incident: Incident) => void;
}

/** One incident out of all, found by what its title, description or service contains. */
export function IncidentChoice({ without, open = false, doing, onChoose }: IncidentChoiceProps) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim());
  const limit = shownAtOnce + without.length;
  const found = useInfiniteQuery({
    ...incidentList({ status: open ? 'open' : undefined, text: wanted || undefined, limit }),
    select: toRows,
    placeholderData: (before) => before,
  });
  const shown = (found.data ?? []).filter(({ id }) => !without.includes(id)).slice(0, shownAtOnce);
  return (
    <>
      <div className={fieldStyles.field}>
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search incidents"
          placeholder="Title, description or service"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {found.isPending && <Loading what="incidents" />}
      <FetchFailed of={found} />
      {found.data && shown.length === 0 && (
        <Empty>{open ? 'No other open incident matches.' : 'No other incident matches.'}</Empty>
      )}
      {/* Another text makes another list: nobody aims at what stood there before. */}
      <Choices key={wanted} incidents={shown} doing={doing} onChoose={onChoose} />
    </>
  );
}

interface ChoicesProps extends Pick<IncidentChoiceProps, 'doing' | 'onChoose'> {
  incidents: readonly Incident[];
}

function Choices({ incidents, doing, onChoose }: ChoicesProps) {
  const now = useNow(30_000);
  // A new incident comes above them and moves them down under a thumb.
  const settled = useSettledPress('', incidents.map(({ id }) => id).join(' '));
  return (
    <ul className={styles.choices}>
      {incidents.map((other) => (
        <li key={other.id}>
          <button type="button" {...choiceState(doing, other.id)} onClick={settled(() => onChoose(other))}>
            <span className="grow">
              <span className={styles.what}>
                <span className="mono text-3">{shortId(other.id)}</span> {other.title}
              </span>
              <span className="text-3 size-12">
                <SeverityMark value={other.severity} /> {other.serviceName && `${other.serviceName}, `}
                {relativeTime(other.triggeredAt, now)}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
