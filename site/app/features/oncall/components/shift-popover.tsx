import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Button } from '~/components/ui/button';
import { Banner } from '~/components/ui/dialog';
import { Popover } from '~/components/ui/popover';
import { memberList } from '~/data/members';
import { samePressFor, useSaveOverride } from '~/data/overrides';
import { useGone } from '~/lib/after-close';
import { reasonOf } from '~/lib/api';
import { currentIdentity } from '~/lib/identity';
import { mayAct } from '~/lib/role';
import { currentSession } from '~/lib/session';
import { serverNow } from '~/lib/time/clock';
import { readersZone } from '~/lib/time/zone';
import { isReaders, spanWords } from '~/lib/time/zone-words';
import { toast } from '~/lib/toast';
import { type Block, whoWords, whyWords } from '../model/picture';
import { isGap, type Person, toOverride, toOverrideRequest } from '../model/schedule';
import { takeOver } from '../model/take-over';
import { shiftWords } from '../model/words';
import * as styles from './shift-popover.module.css';
import { TakeBack } from './take-back';

interface ShiftPopoverProps {
  block: Block;
  anchor: HTMLElement;
  zone: string;
  hueOf: (personId: string) => number | undefined;
  onClose: () => void;
  /** The schedule whose shift can be given to somebody else; absent where it is only looked at. */
  change?: {
    scheduleId: string;
    /** Opens the full dialog with the shift's time. */
    onMore: (block: Block) => void;
  };
}

/** A shift: who, when here and there, why, and who else could have it. Choosing is enough. */
export function ShiftPopover(props: ShiftPopoverProps) {
  const { block, anchor, zone, hueOf, onClose } = props;
  const { shift } = block;
  const own = readersZone();
  return (
    <Popover anchor={anchor} label={whoWords(block)} onClose={onClose}>
      <div className={styles.shiftFacts}>
        {shift.people.map((person) => (
          <p className={styles.who} key={person.id}>
            <Avatar name={person.name} hue={hueOf(person.id)} large />
            <b>{person.name}</b>
          </p>
        ))}
        {shift.people.length === 0 && (
          <p className={isGap(shift) ? `${styles.who} ${styles.nobody}` : styles.who}>
            <b>{whoWords(block)}</b>
          </p>
        )}
        <p>
          {shiftWords(shift, zone)} <span className="text-3">{zone}</span>
        </p>
        {!isReaders(zone) && (
          <p className="text-2">
            {spanWords(shift.from, shift.to, own)} <span className="text-3">{own}, your time</span>
          </p>
        )}
        <p className="text-2">{whyWords(block)}</p>
      </div>
      {props.change && shift.because !== 'inactive' && <Replace {...props} {...props.change} />}
    </Popover>
  );
}

type ReplaceProps = ShiftPopoverProps & NonNullable<ShiftPopoverProps['change']>;

function Replace({ block, zone, scheduleId, hueOf, onClose, onMore }: ReplaceProps) {
  const create = useSaveOverride();
  const gone = useGone();
  const members = useQuery(memberList).data ?? [];
  const me = currentSession()?.user;
  const { shift } = block;
  // When it was first pressed, and for whom: pressed again after a lost answer it is the same override, for a while.
  const pressed = useRef({ personId: '', at: 0 });
  if (shift.to <= serverNow().getTime()) return <p className={styles.shiftNote}>This shift is over.</p>;
  if (!mayAct('responder')) return <p className={styles.shiftNote}>Viewers cannot change who is on call.</p>;
  const give = (person: Person) => {
    const by = currentIdentity();
    const now = serverNow().getTime();
    const { personId, at } = pressed.current;
    if (personId !== person.id || now - at > samePressFor) pressed.current = { personId: person.id, at: now };
    return create
      .mutateAsync({
        scheduleId,
        body: toOverrideRequest(takeOver(block, scheduleId, person, pressed.current.at)),
      })
      .then(
        (answer) => {
          // It concerns nobody who signed in since.
          if (by !== currentIdentity()) return;
          const made = toOverride(answer.override ?? {});
          toast({ kind: 'success', title: `${person.name}: ${spanWords(made.from, made.to, zone)}` });
          if (!gone.current) onClose();
        },
        // Here by the banner, and once this is closed by a toast.
        () => undefined,
      );
  };
  const alone = (id: string | undefined) => shift.people.length === 1 && shift.people[0]?.id === id;
  const others = members.filter((member) => member.id !== me?.id && !alone(member.id));
  return (
    <div className={styles.shiftChange}>
      {create.isError && <Banner tone="failed">{reasonOf(create.error)}</Banner>}
      {me?.id && !alone(me.id) && (
        <Button
          look={isGap(shift) ? 'person' : 'primary'}
          disabled={create.isPending}
          onClick={() => give({ id: me.id ?? '', name: me.name })}
        >
          I take it
        </Button>
      )}
      {others.length > 0 && (
        <>
          <p className="text-3 size-12">Or give it to</p>
          <ul className={styles.people}>
            {others.map((member) => (
              <li key={member.id}>
                <button type="button" disabled={create.isPending} onClick={() => give(member)}>
                  <Avatar name={member.name} hue={hueOf(member.id)} />
                  <span className="grow ellipsis">{member.name}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="row">
        <Button size="sm" onClick={() => onMore(block)}>
          Other times
        </Button>
        {block.override && <TakeBack override={block.override} zone={zone} onDone={onClose} />}
      </div>
    </div>
  );
}
