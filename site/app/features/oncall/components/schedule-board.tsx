import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ButtonLink } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import { Empty } from '~/components/ui/states';
import { Tabs } from '~/components/ui/tabs';
import { useNow } from '~/lib/clock';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { escalationPolicies } from '../api/escalation-policies';
import { coverageProblems } from '../api/timelines';
import type { View } from '../model/filter';
import { nextInLine } from '../model/next-in-line';
import type { Problem, Schedule } from '../model/schedule';
import { NowStrip } from './now-strip';
import { OverridesView } from './overrides-view';
import { RotationsView } from './rotations-view';
import { SchedulesView } from './schedules-view';
import { TimelineCard } from './timeline-card';
import { useAddress } from './use-address';
import { useHue } from './use-hue';

const tabs = [
  { value: 'schedules', word: 'Schedules' },
  { value: 'rotations', word: 'Rotations' },
  { value: 'overrides', word: 'Overrides' },
] as const;

const placeholders: Record<View, string> = {
  schedules: 'Search name, description or team',
  rotations: 'Search rotation, schedule or person',
  overrides: 'Search person, schedule or reason',
};

/** Who is on call now, every schedule, rotation and override, and the picture of the one selected. */
export function ScheduleBoard({ schedules }: { schedules: readonly Schedule[] }) {
  const [address, go] = useAddress();
  const now = useNow(20_000).getTime();
  const hueOf = useHue();
  const problems = useQuery(coverageProblems).data;
  const policies = useQuery(escalationPolicies).data;
  const selected = selectedOf(schedules, address.scheduleId);
  if (!selected) return <NoSchedule />;
  const next = policies && nextInLine(selected, policies, schedules);
  const showGap = (gap: Problem) => go({ scheduleId: gap.scheduleId, at: gap.from });
  return (
    <>
      <NowStrip
        schedule={selected}
        next={next}
        gap={problems && (problems.find((one) => one.kind === 'gap') ?? null)}
        zoneOfGap={zoneOfGap(problems, schedules)}
        now={now}
        hueOf={hueOf}
        onShowGap={showGap}
      />
      <Lists
        view={address.view}
        schedules={schedules}
        selected={selected}
        now={now}
        onView={(view) => go({ view })}
        onSelect={(scheduleId) => go({ scheduleId })}
      />
      <TimelineCard
        schedule={selected}
        span={address.span}
        at={address.at}
        now={now}
        next={next ?? null}
        problems={(problems ?? []).filter((one) => one.scheduleId === selected.id)}
        onMove={(span, at) => go({ span, at })}
      />
    </>
  );
}

interface ListsProps {
  view: View;
  schedules: readonly Schedule[];
  selected: Schedule;
  now: number;
  onView: (view: View) => void;
  onSelect: (scheduleId: string) => void;
}

function Lists({ view, schedules, selected, now, onView, onSelect }: ListsProps) {
  const [text, setText] = useState('');
  return (
    <section className="card schedule-lists" aria-label="Schedules">
      <label className="field">
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
          <SchedulesView schedules={schedules} selectedId={selected.id} text={text} onSelect={onSelect} />
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
    <div className="card">
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
function selectedOf(schedules: readonly Schedule[], id: string): Schedule | undefined {
  return schedules.find((one) => one.id === id) ?? schedules.find((one) => one.active) ?? schedules[0];
}

function zoneOfGap(problems: readonly Problem[] | undefined, schedules: readonly Schedule[]): string {
  const gap = problems?.find((one) => one.kind === 'gap');
  return schedules.find((one) => one.id === gap?.scheduleId)?.zone ?? 'UTC';
}
