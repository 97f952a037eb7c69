import { Avatar } from '~/components/ui/avatar';
import { Icon } from '~/components/ui/icon';
import type { NextInLine } from '../model/next-in-line';
import type { Problem, Schedule } from '../model/schedule';
import { soonWords, spanWords } from '../model/words';

interface NowStripProps {
  schedule: Schedule;
  /** Null when nobody is, undefined while that is not known. */
  next: NextInLine | null | undefined;
  /** The soonest gap of any schedule; null when the next 30 days are covered, undefined while that is not known. */
  gap: Problem | null | undefined;
  zoneOfGap: string;
  now: number;
  hueOf: (personId: string) => number | undefined;
  onShowGap: (gap: Problem) => void;
}

/** Who has it now, who is next in line, and the first hours that nobody covers. */
export function NowStrip({ schedule, next, gap, zoneOfGap, now, hueOf, onShowGap }: NowStripProps) {
  return (
    <section className="card now-strip" aria-label="On call now">
      <OnNow schedule={schedule} now={now} hueOf={hueOf} />
      {next !== undefined && <Next next={next} hueOf={hueOf} />}
      {gap !== undefined && <Coverage gap={gap} zone={zoneOfGap} onShow={onShowGap} />}
    </section>
  );
}

function OnNow({ schedule, now, hueOf }: Pick<NowStripProps, 'schedule' | 'now' | 'hueOf'>) {
  const current = schedule.onCall?.current;
  const [first] = current?.people ?? [];
  const nobody = schedule.active && !first;
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

function Next({ next, hueOf }: { next: NextInLine | null; hueOf: NowStripProps['hueOf'] }) {
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
          <span>Its escalation policy names no later step</span>
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

function Coverage({
  gap,
  zone,
  onShow,
}: {
  gap: Problem | null;
  zone: string;
  onShow: (gap: Problem) => void;
}) {
  if (!gap) {
    return (
      <div className="now-part">
        <NoFace icon="check" />
        <p className="what">Coverage</p>
        <p>
          <span>No gap in the next 30 days</span>
        </p>
      </div>
    );
  }
  return (
    <div className="now-part needed">
      <NoFace icon="users" />
      <p className="what">Nobody on call, {gap.scheduleName}</p>
      <p>
        <button type="button" onClick={() => onShow(gap)}>
          {spanWords(gap.from, gap.to, zone)}
        </button>
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
