import { useState } from 'react';
import { SeverityMark } from '~/components/ui/mark';
import { Segmented } from '~/components/ui/segmented';
import { useHues } from '~/data/members';
import { plainDuration } from '~/lib/time/words';
import { daySheet, type Figures, hourSheet } from '../model/sheets';
import { countChange, counted, timeChange } from '../model/words';
import { DayBars } from './day-bars';
import { DayLine, DayScale } from './day-line';
import { FigureCard } from './figure-card';
import { type By, GroupsCard } from './groups-card';
import { HeatMap, weekdays } from './heat-map';
import { NightsCard } from './nights-card';
import { NoiseCard } from './noise-card';
import * as styles from './report.module.css';
import { Tiles } from './tiles';

/** All figures of a period: what woke people first, then how soon they answered, then what it was about. */
export function Report({ of }: { of: Figures }) {
  const hueOf = useHues();
  const [by, setBy] = useState<By>('service');
  return (
    <>
      <Tiles of={of} />
      <div className={styles.grid}>
        <div className={styles.whole}>
          <NightsCard of={of} hueOf={hueOf} />
        </div>
        <TimeCard of={of} title="Time to acknowledge" figure="mtta_seconds" words={['sooner', 'later']} />
        <TimeCard of={of} title="Time to resolve" figure="mttr_seconds" words={['faster', 'slower']} />
        <LoadCard of={of} />
        <SeverityCard of={of} />
        <div className={styles.whole}>
          <Segmented<By>
            label="Figures by"
            className={styles.by}
            choices={[
              { value: 'service', content: 'By service' },
              { value: 'team', content: 'By team' },
              { value: 'person', content: 'By person' },
            ]}
            value={by}
            onChoose={setBy}
          />
          <GroupsCard key={by} of={of} by={by} />
        </div>
        <div className={styles.whole}>
          <NoiseCard of={of} />
        </div>
      </div>
    </>
  );
}

interface TimeCardProps {
  of: Figures;
  title: string;
  figure: 'mtta_seconds' | 'mttr_seconds';
  words: readonly [string, string];
}

function TimeCard({ of, title, figure, words }: TimeCardProps) {
  const [now, then] = [of.period?.figures?.[figure], of.before?.figures?.[figure]];
  const change = timeChange(now, then, words);
  const said = now === undefined ? 'None yet' : plainDuration(now);
  return (
    <FigureCard
      title={title}
      note={figure === 'mtta_seconds' ? 'MTTA, mean of each day' : 'MTTR, mean of each day'}
      figure={said}
      sentence={
        change && then !== undefined ? `${plainDuration(then)} in the days before: ${change.words}.` : ' '
      }
      sheet={daySheet(figure === 'mtta_seconds' ? 'mtta-by-day' : 'mttr-by-day', of.period?.days)}
    >
      <DayLine
        label={`${title}, day by day. The mean of the period is ${said}.`}
        days={of.days}
        values={(of.period?.days ?? []).map((day) => day.figures?.[figure])}
        before={of.compared ? (of.before?.days ?? []).map((day) => day.figures?.[figure]) : undefined}
      />
      <p className={styles.legend} aria-hidden="true">
        <span data-line="now">This period</span>
        {of.compared && <span data-line="before">Days before</span>}
        <span data-line="weekend">Weekend</span>
      </p>
    </FigureCard>
  );
}

function LoadCard({ of }: { of: Figures }) {
  const pages = of.period?.figures?.page_count ?? 0;
  const peak = (of.hours ?? []).toSorted((a, b) => (b.page_count ?? 0) - (a.page_count ?? 0))[0];
  const night = (of.hours ?? [])
    .filter(({ hour = 0 }) => hour >= 22 || hour < 7)
    .reduce((sum, one) => sum + (one.page_count ?? 0), 0);
  const sentence = peak
    ? `Most came on ${weekdays[(peak.weekday ?? 1) - 1]} from ${peak.hour ?? 0}:00; ${night} between 22:00 and 07:00.`
    : 'Nobody was paged.';
  return (
    <div className={styles.most}>
      <FigureCard
        title="When pages come"
        note={`Hour and weekday, ${of.timezone}`}
        figure={counted(pages, 'page')}
        sentence={sentence}
        sheet={hourSheet(of, weekdays)}
      >
        <HeatMap load={of.hours ?? []} label={`Pages by hour and weekday. ${sentence}`} />
      </FigureCard>
    </div>
  );
}

const severities = ['critical', 'high', 'medium', 'low'] as const;

function SeverityCard({ of }: { of: Figures }) {
  const days = of.period?.days ?? [];
  const most = Math.max(
    1,
    ...days.flatMap((day) => severities.map((severity) => day[`${severity}_count`] ?? 0)),
  );
  const total = of.period?.figures?.incident_count ?? 0;
  const change = countChange(total, of.before && (of.before.figures?.incident_count ?? 0));
  return (
    <div className={styles.rest}>
      <FigureCard
        title="Incidents by severity"
        figure={String(total)}
        sentence={
          change ? `${of.before?.figures?.incident_count ?? 0} in the days before: ${change.words}.` : ' '
        }
        sheet={daySheet('incidents-by-day', days)}
      >
        <div className={styles.severities}>
          {severities.map((severity) => {
            const group = of.severities?.find(({ name }) => name === severity);
            const count = group?.figures?.incident_count ?? 0;
            return (
              <div key={severity} className={styles.severity}>
                <div>
                  <SeverityMark value={severity} />
                  <p>
                    <b>{count}</b>{' '}
                    {group?.before && (
                      <span className="text-3">{group.before.incident_count ?? 0} before</span>
                    )}
                  </p>
                </div>
                <DayBars
                  days={of.days}
                  values={days.map((day) => day[`${severity}_count`] ?? 0)}
                  most={most}
                  label={`${severity}, day by day: ${count}`}
                />
              </div>
            );
          })}
        </div>
        <DayScale days={of.days} />
      </FigureCard>
    </div>
  );
}
