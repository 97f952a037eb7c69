import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Boundary } from '~/components/ui/boundary';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import * as fieldKit from '~/components/ui/field.module.css';
import { Icon } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';
import { Tabs } from '~/components/ui/tabs';
import { explanation } from '~/data/explain';
import { useHues } from '~/data/members';
import { coverageProblems, scheduleTimeline } from '~/data/schedules';
import { paths } from '~/lib/paths';
import { freshFor } from '~/lib/query-client';
import { mayAct } from '~/lib/role';
import { useNow } from '~/lib/time/clock';
import { dayAfter, dayOf } from '~/lib/time/zone';
import { isExpectedGap } from '../model/expected-gap';
import type { View } from '../model/filter';
import { type NextInLine, nextInLine, nextQuestion } from '../model/next-in-line';
import { gapsOf } from '../model/picture';
import { askedRange } from '../model/range';
import { type Problem, type Schedule, type Shift, toCoverage, toPicture } from '../model/schedule';
import { NowStrip } from './now-strip';
import { OverridesView } from './overrides-view';
import { RotationsView } from './rotations-view';
import * as styles from './schedule-lists.module.css';
import { SchedulesView } from './schedules-view';
import { TimelineCard } from './timeline-card';
import { useAddress } from './use-address';

const tabs = [
  { value: 'schedules', word: 'Schedules' },
  { value: 'rotations', word: 'Rotations' },
  { value: 'overrides', word: 'Overrides' },
] as const;

const daysAhead = 30;
// Shifts end, and others change policies, schedules and overrides.
const everyMinute = { staleTime: freshFor.list, refetchInterval: freshFor.list };

const placeholders: Record<View, string> = {
  schedules: 'Search name, description or team',
  rotations: 'Search rotation, schedule or person',
  overrides: 'Search person, schedule or reason',
};

/** Who is on call now, every schedule, rotation and override, and the picture of the one selected. */
export function ScheduleBoard({ schedules }: { schedules: readonly Schedule[] }) {
  const [address, go] = useAddress();
  const now = useNow(20_000).getTime();
  const hueOf = useHues();
  const all = useQuery({ ...coverageProblems(), select: toCoverage });
  const coverage = all.data;
  const problems = coverage?.problems ?? [];
  // What was shown first stays, with the form that is open in it, when somebody makes one that stands before it.
  const [first, setFirst] = useState('');
  const selected = selectedOf(schedules, address.scheduleId, first);
  if (!address.scheduleId && selected && selected.id !== first) setFirst(selected.id);
  // What is left out of the list of all schedules may be of this one.
  const ofOne = useQuery({
    ...coverageProblems(selected?.id),
    select: toCoverage,
    enabled: selected !== undefined && coverage?.truncated === true,
  });
  const alone = ofOne.data;
  const own = (alone?.problems ?? problems).filter((one) => one.scheduleId === selected?.id);
  // Which hours are meant to be free is among the problems.
  const knowsOwn = alone !== undefined || coverage?.truncated === false;
  const picture = useNextDays(selected, now);
  const known = knowsOwn ? soonestGap(picture, own, now) : undefined;
  const gap = claimOf(known, coverage?.truncated ? [all, ofOne, picture.query] : [all, picture.query]);
  const next = useNextInLine(selected);
  if (!selected) return <NoSchedule />;
  return (
    <>
      <Boundary what="Who is on call now">
        <NowStrip
          schedule={selected}
          next={next}
          gap={gap}
          hasHours={own.some((one) => one.weekly)}
          off={selected.onCall !== null && isExpectedGap(selected.onCall.current, own)}
          othersWithGaps={coverage && withGaps(problems, selected.id)}
          sawEveryOther={coverage?.truncated === false && coverage.incomplete === ''}
          now={now}
          hueOf={hueOf}
          onShow={(at) => go({ at })}
        />
      </Boundary>
      <Boundary what="The lists">
        <Lists
          view={address.view}
          schedules={schedules}
          selected={selected}
          problems={problems}
          now={now}
          onView={(view) => go({ view })}
          onSelect={(scheduleId) => go({ scheduleId })}
        />
      </Boundary>
      <Boundary what="The picture">
        {/* Nothing of one schedule may stand under the name of another: no shift, popover or dialog. */}
        <TimelineCard
          key={selected.id}
          schedule={selected}
          span={address.span}
          at={address.at}
          now={now}
          problems={own}
          incomplete={(alone ?? coverage)?.incomplete ?? ''}
          onMove={(span, at) => go({ span, at })}
        />
      </Boundary>
    </>
  );
}

interface ListsProps {
  view: View;
  schedules: readonly Schedule[];
  selected: Schedule;
  problems: readonly Problem[];
  now: number;
  onView: (view: View) => void;
  onSelect: (scheduleId: string) => void;
}

function Lists({ view, schedules, selected, problems, now, onView, onSelect }: ListsProps) {
  const [text, setText] = useState('');
  return (
    <section className={`${cardKit.card} ${styles.scheduleLists}`} aria-label="Schedules">
      <label className={fieldKit.field}>
        <Icon name="search" />
        <input
          type="search"
          placeholder={placeholders[view]}
          aria-label={placeholders[view]}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Tabs label="On-call lists" tabs={tabs} value={view} onChoose={onView}>
        {view === 'schedules' && (
          <SchedulesView
            schedules={schedules}
            problems={problems}
            selectedId={selected.id}
            text={text}
            onSelect={onSelect}
          />
        )}
        {view === 'rotations' && (
          <RotationsView schedules={schedules} text={text} now={now} onSelect={onSelect} />
        )}
        {view === 'overrides' && <OverridesView schedules={schedules} text={text} now={now} />}
      </Tabs>
    </section>
  );
}

function NoSchedule() {
  return (
    <div className={cardKit.card}>
      <Empty
        action={
          mayAct('admin') ? (
            <ButtonLink to={paths.newSchedule} icon="plus">
              Create Schedule
            </ButtonLink>
          ) : undefined
        }
      >
        No schedule yet. In a schedule people take turns at being on call, and escalation policies page
        whoever is on. {!mayAct('admin') && 'An admin can create one.'}
      </Empty>
    </div>
  );
}

// The first active one, until somebody chooses.
function selectedOf(schedules: readonly Schedule[], ...wanted: string[]): Schedule | undefined {
  const [found] = wanted.flatMap((id) => schedules.filter((one) => one.id === id));
  return found ?? schedules.find((one) => one.active) ?? schedules[0];
}

function withGaps(problems: readonly Problem[], except: string): number {
  const gaps = problems.filter((one) => one.kind === 'gap' && !one.weekly && one.scheduleId !== except);
  return new Set(gaps.map((one) => one.scheduleId)).size;
}

// Undefined while it is asked, null when nobody follows.
function useNextInLine(schedule: Schedule | undefined): NextInLine | null | undefined | 'unknown' {
  const { id = '', policyId = '' } = schedule ?? {};
  const { data, isError } = useQuery({
    ...explanation(nextQuestion(policyId, null), 'explain who is next in line'),
    ...everyMinute,
    select: (answer) => nextInLine(answer, id),
    enabled: policyId !== '',
  });
  if (policyId === '') return null;
  return data === undefined && isError ? 'unknown' : data;
}

// The picture from today on, as far as the strip speaks of it.
function useNextDays(schedule: Schedule | undefined, now: number) {
  const zone = schedule?.zone ?? 'UTC';
  const today = dayOf(now, zone);
  const range = { from: today.from, to: dayAfter(today, daysAhead, zone).from };
  const query = useQuery({
    ...scheduleTimeline(schedule?.id ?? '', askedRange(range)),
    ...everyMinute,
    select: toPicture,
    enabled: schedule !== undefined,
  });
  return { range, query };
}

// From the picture, so that hours which an override leaves vacant count as well.
function soonestGap(
  { range, query }: ReturnType<typeof useNextDays>,
  problems: readonly Problem[],
  now: number,
): Shift | null | undefined {
  if (!query.data) return undefined;
  return gapsOf(query.data, range, now).find((one) => !isExpectedGap(one, problems)) ?? null;
}

const claimedFor = 2 * freshFor.list;

// A gap is said as long as it is known; that there is none only while each answer is fresh.
function claimOf(
  gap: Shift | null | undefined,
  answers: readonly Pick<UseQueryResult, 'isError' | 'dataUpdatedAt' | 'isFetching'>[],
): Shift | null | undefined | 'unknown' {
  if (gap) return gap;
  if (answers.some(({ isError }) => isError)) return 'unknown';
  const old = answers.filter(({ dataUpdatedAt }) => Date.now() - dataUpdatedAt > claimedFor);
  if (old.length === 0) return gap;
  return old.every(({ isFetching }) => isFetching) ? undefined : 'unknown';
}
