import { Avatar } from '~/components/ui/avatar';
import { Icon } from '~/components/ui/icon';
import { capitalised } from '~/lib/format';
import type { NextInLine } from '../model/next-in-line';
import type { Schedule, Shift } from '../model/schedule';
import { gapWords, soonWords } from '../model/words';

interface NowStripProps {
  schedule: Schedule;
  /** Null when nobody is, undefined while that is not known. */
  next: NextInLine | null | undefined;
  /** The schedule's soonest gap; null when the next 30 days are covered, undefined while that is not known. */
  gap: Shift | null | undefined;
  /** Whether the schedule leaves out the same hours every week. */
  hasHours: boolean;
  /** Whether it is outside of these hours now. */
  off: boolean;
  /** How many other schedules have a gap in that time. */
  othersWithGaps: number;
  now: number;
  hueOf: (personId: string) => number | undefined;
  onShow: (at: number) => void;
}

/** Who has it now, who is next in line, and the first hours that nobody covers. */
export function NowStrip(props: NowStripProps) {
  const { schedule, next, gap, hasHours, off, othersWithGaps, now, hueOf, onShow } = props;
  return (
    <section className="card now-strip" aria-label="On call now">
      <OnNow schedule={schedule} off={off} now={now} hueOf={hueOf} />
      {next === undefined ? <Unknown /> : <Next next={next} policy={schedule.policy} hueOf={hueOf} />}
      {gap === undefined && <Unknown />}
      {gap && <Gap gap={gap} zone={schedule.zone} now={now} onShow={onShow} />}
      {gap === null && <Covered active={schedule.active} hasHours={hasHours} others={othersWithGaps} />}
    </section>
  );
}

function OnNow({ schedule, off, now, hueOf }: Pick<NowStripProps, 'schedule' | 'off' | 'now' | 'hueOf'>) {
  const current = schedule.onCall?.current;
  const [first] = current?.people ?? [];
  const nobody = schedule.active && !off && !first;
  return (
    <div className={nobody ? 'now-part needed' : 'now-part'}>
      {first ? <Avatar name={first.name} hue={hueOf(first.id)} large /> : <NoFace icon="users" />}
      <p className="what">On call now, {schedule.name}</p>
      <p>
        <b>{current?.people.map((person) => person.name).join(', ') || 'Nobody'}</b>{' '}
        <span>{schedule.active ? handoverWords(schedule, now) : 'the schedule is inactive'}</span>
      </p>
    </div>
  );
}

// Keeps the place, so that nothing moves when the answer comes.
function Unknown() {
  return <div className="now-part" />;
}

interface NextProps extends Pick<NowStripProps, 'hueOf'> {
  next: NextInLine | null;
  policy: string;
}

function Next({ next, policy, hueOf }: NextProps) {
  return (
    <div className="now-part">
      {next?.person ? (
        <Avatar name={next.person.name} hue={hueOf(next.person.id)} large />
      ) : (
        <NoFace icon="ladder" />
      )}
      <p className="what">Next in line</p>
      {next ? (
        <p>
          <b>{next.person?.name ?? next.names.join(', ')}</b> <span>after {next.after}</span>
        </p>
      ) : (
        <p>
          <span>{policy ? `No later step in ${policy}` : 'It has no escalation policy'}</span>
        </p>
      )}
    </div>
  );
}

function handoverWords({ onCall, zone }: Schedule, now: number): string {
  if (!onCall || !Number.isFinite(onCall.current.to)) return 'without end';
  const until = `until ${soonWords(onCall.current.to, zone, now)}`;
  if (!onCall.next) return until;
  return `${until}, then ${onCall.next.people.map((person) => person.name).join(', ') || 'nobody'}`;
}

interface GapProps extends Pick<NowStripProps, 'now' | 'onShow'> {
  gap: Shift;
  zone: string;
}

function Gap({ gap, zone, now, onShow }: GapProps) {
  return (
    <div className="now-part needed">
      <NoFace icon="users" />
      <p className="what">Nobody on call</p>
      <p>
        <button type="button" onClick={() => onShow(Math.max(gap.from, now))}>
          {capitalised(gapWords(gap, zone, now))}
        </button>
      </p>
    </div>
  );
}

interface CoveredProps {
  active: boolean;
  hasHours: boolean;
  others: number;
}

function Covered({ active, hasHours, others }: CoveredProps) {
  const covered = hasHours ? 'No gap within its hours for 30 days' : 'No gap in the next 30 days';
  const elsewhere = others === 1 ? '1 other schedule has gaps' : `${others} other schedules have gaps`;
  return (
    <div className="now-part">
      <NoFace icon={active ? 'check' : 'users'} />
      <p className="what">{active ? covered : 'Covers nothing while it is inactive'}</p>
      <p>
        <span>{others > 0 ? elsewhere : 'Every other schedule is covered too'}</span>
      </p>
    </div>
  );
}

function NoFace({ icon }: { icon: 'users' | 'check' | 'ladder' }) {
  return (
    <span className="no-face">
      <Icon name={icon} />
    </span>
  );
}
