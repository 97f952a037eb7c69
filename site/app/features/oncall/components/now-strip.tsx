import { Avatar } from '~/components/ui/avatar';
import * as cardKit from '~/components/ui/card.module.css';
import { Icon } from '~/components/ui/icon';
import { soonWords, withZone } from '~/lib/time/zone-words';
import { capitalised } from '~/lib/words';
import type { NextInLine } from '../model/next-in-line';
import type { Schedule, Shift } from '../model/schedule';
import { gapWords } from '../model/words';
import * as styles from './now-strip.module.css';

interface NowStripProps {
  schedule: Schedule;
  /** Null when nobody is, undefined while that is asked, 'unknown' when the server did not say. */
  next: NextInLine | null | undefined | 'unknown';
  /** The schedule's soonest gap; null when the next 30 days are covered, undefined and 'unknown' as above. */
  gap: Shift | null | undefined | 'unknown';
  /** Whether the schedule leaves out the same hours every week. */
  hasHours: boolean;
  /** Whether it is outside of these hours now. */
  off: boolean;
  /** How many other schedules are known to have a gap in that time. */
  othersWithGaps: number | undefined;
  /** Whether that is so for each of them. */
  sawEveryOther: boolean;
  now: number;
  hueOf: (personId: string) => number | undefined;
  onShow: (at: number) => void;
}

/** Who has it now, who is next in line, and the first hours that nobody covers. */
export function NowStrip(props: NowStripProps) {
  const { schedule, next, gap, hasHours, off, now, hueOf, onShow } = props;
  return (
    <section className={`${cardKit.card} ${styles.nowStrip}`} aria-label="On call now">
      <OnNow schedule={schedule} off={off} now={now} hueOf={hueOf} />
      {next === undefined && <Unknown />}
      {next === 'unknown' && <Unknown words="Who is next in line is not known" />}
      {next !== undefined && next !== 'unknown' && (
        <Next next={next} policy={schedule.policy} hueOf={hueOf} />
      )}
      {gap === undefined && <Unknown />}
      {gap === 'unknown' && <Unknown words="Whether there are gaps is not known" />}
      {gap && gap !== 'unknown' && <Gap gap={gap} zone={schedule.zone} now={now} onShow={onShow} />}
      {gap === null && <Covered {...props} active={schedule.active} hasHours={hasHours} />}
    </section>
  );
}

function OnNow({ schedule, off, now, hueOf }: Pick<NowStripProps, 'schedule' | 'off' | 'now' | 'hueOf'>) {
  const { current, next } = onCallAt(schedule, now);
  if (schedule.active && !current) return <Unknown words="Who is on call now is not known" />;
  const [first] = current?.people ?? [];
  const nobody = schedule.active && !off && !first;
  return (
    <div className={nobody ? `${styles.nowPart} ${styles.needed}` : styles.nowPart}>
      {first ? <Avatar name={first.name} hue={hueOf(first.id)} large /> : <NoFace icon="users" />}
      <p className={styles.what}>On call now, {schedule.name}</p>
      <p>
        <b>{current?.people.map((person) => person.name).join(', ') || 'Nobody'}</b>{' '}
        <span>
          {schedule.active ? handoverWords(current, next, schedule.zone, now) : 'the schedule is inactive'}
        </span>
      </p>
    </div>
  );
}

// Keeps the place, so that nothing moves when the answer comes; says so when it does not.
function Unknown({ words }: { words?: string }) {
  if (!words) return <div className={styles.nowPart} />;
  return (
    <div className={styles.nowPart}>
      <NoFace icon="question" />
      <p className={styles.what}>{words}</p>
      <p>
        <span>It could not be loaded</span>
      </p>
    </div>
  );
}

interface NextProps extends Pick<NowStripProps, 'hueOf'> {
  next: NextInLine | null;
  policy: string;
}

function Next({ next, policy, hueOf }: NextProps) {
  return (
    <div className={styles.nowPart}>
      {next?.person ? (
        <Avatar name={next.person.name} hue={hueOf(next.person.id)} large />
      ) : (
        <NoFace icon="ladder" />
      )}
      <p className={styles.what}>Next in line</p>
      {next ? (
        <p>
          <b>{next.person?.name ?? next.names.join(', ')}</b> <span>{next.when}</span>
        </p>
      ) : (
        <p>
          <span>{policy ? `No later step in ${policy}` : 'It names no escalation policy'}</span>
        </p>
      )}
    </div>
  );
}

// An answer from before a handover, or from before the computer slept, is about another shift.
function onCallAt({ onCall }: Schedule, now: number): { current?: Shift; next?: Shift } {
  const [first, second] = [onCall?.current, onCall?.next ?? undefined];
  if (first && now < first.to) return { current: first, next: second };
  return second && second.from <= now && now < second.to ? { current: second } : {};
}

function handoverWords(
  current: Shift | undefined,
  next: Shift | undefined,
  zone: string,
  now: number,
): string {
  if (!current || !Number.isFinite(current.to)) return 'without end';
  const until = withZone(`until ${soonWords(current.to, zone, now)}`, zone);
  if (!next) return until;
  return `${until}, then ${next.people.map((person) => person.name).join(', ') || 'nobody'}`;
}

interface GapProps extends Pick<NowStripProps, 'now' | 'onShow'> {
  gap: Shift;
  zone: string;
}

function Gap({ gap, zone, now, onShow }: GapProps) {
  const words = capitalised(gapWords(gap, zone, now));
  const hasTime = gap.from > now || Number.isFinite(gap.to);
  return (
    <div className={`${styles.nowPart} ${styles.needed}`}>
      <NoFace icon="users" />
      <p className={styles.what}>Nobody on call</p>
      <p>
        <button type="button" onClick={() => onShow(Math.max(gap.from, now))}>
          {hasTime ? withZone(words, zone) : words}
        </button>
      </p>
    </div>
  );
}

interface CoveredProps extends Pick<NowStripProps, 'othersWithGaps' | 'sawEveryOther'> {
  active: boolean;
  hasHours: boolean;
}

function Covered({ active, hasHours, othersWithGaps, sawEveryOther }: CoveredProps) {
  const covered = hasHours ? 'No gap within its hours for 30 days' : 'No gap in the next 30 days';
  return (
    <div className={styles.nowPart}>
      <NoFace icon={active ? 'check' : 'users'} />
      <p className={styles.what}>{active ? covered : 'Covers nothing while it is inactive'}</p>
      <p>
        <span>{elsewhere(othersWithGaps, sawEveryOther)}</span>
      </p>
    </div>
  );
}

// That all are covered is known only when the server has looked at each.
function elsewhere(others: number | undefined, sawEach: boolean): string {
  if (others === undefined) return 'Others are not known';
  if (others === 0)
    return sawEach ? 'Every other schedule is covered too' : 'Not every other schedule was looked at';
  const atLeast = sawEach ? '' : 'At least ';
  return `${atLeast}${others} other ${others === 1 ? 'schedule has' : 'schedules have'} gaps`;
}

function NoFace({ icon }: { icon: 'users' | 'check' | 'ladder' | 'question' }) {
  return (
    <span className={styles.noFace}>
      <Icon name={icon} />
    </span>
  );
}
