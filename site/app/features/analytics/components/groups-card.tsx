import type { IncidentFiguresJson } from '@nightbell/proto';
import * as tableKit from '~/components/ui/table.module.css';
import { plainDuration } from '~/lib/time/words';
import { type Figures, groupSheet, peopleSheet } from '../model/sheets';
import { counted } from '../model/words';
import { AcrossBar } from './day-bars';
import { FigureCard } from './figure-card';
import * as styles from './groups-card.module.css';

/** By what the figures are grouped. */
export type By = 'service' | 'team' | 'person';

interface Row {
  key: string;
  name: string;
  figures: IncidentFiguresJson;
  before: IncidentFiguresJson | undefined;
}

const none = { service: 'No service', team: 'No team', person: '' } as const;

/** Incidents, pages and times of each service, team or person. */
export function GroupsCard({ of, by }: { of: Figures; by: By }) {
  const rows = rowsOf(of, by);
  const most = Math.max(1, ...rows.flatMap(({ figures, before }) => [n(figures), before ? n(before) : 0]));
  const [first] = rows;
  const word = { service: 'Service', team: 'Team', person: 'Person' }[by];
  return (
    <FigureCard
      title={`By ${by}`}
      note={by === 'person' ? 'Incidents that paged them' : 'Incidents'}
      figure={first ? `${n(first.figures)} of ${of.period?.figures?.incident_count ?? 0}` : '0'}
      sentence={
        first
          ? `No ${by} had more than ${first.name}: ${counted(n(first.figures), 'incident')}.`
          : 'Nobody was paged.'
      }
      sheet={
        by === 'person'
          ? peopleSheet(of)
          : groupSheet(`by-${by}`, word, by === 'team' ? of.teams : of.services, none[by], of.compared)
      }
    >
      <table className={`${tableKit.table} ${styles.groups}`}>
        <thead>
          <tr>
            <th scope="col">{word}</th>
            <th scope="col" className={styles.wide}>
              <span className="visually-hidden">Share</span>
            </th>
            <th scope="col">Incidents</th>
            {of.compared && (
              <th scope="col" className="hide-phone">
                Before
              </th>
            )}
            <th scope="col">Pages</th>
            <th scope="col" className="hide-phone">
              MTTA
            </th>
            <th scope="col" className="hide-phone">
              MTTR
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, figures, before }) => (
            <tr key={key}>
              <th scope="row" className={styles.name}>
                {name}
              </th>
              <td className={styles.wide}>
                <AcrossBar value={n(figures)} before={before && n(before)} most={most} />
              </td>
              <td>
                <b>{n(figures)}</b>
              </td>
              {of.compared && <td className="text-3 hide-phone">{before ? n(before) : '-'}</td>}
              <td>{figures.page_count ?? 0}</td>
              <td className="hide-phone">{time(figures.mtta_seconds)}</td>
              <td className="hide-phone">{time(figures.mttr_seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {of.compared && (
        <p className={styles.legend}>
          The stroke is the days before{by === 'person' && ' where their pages are kept'}.
        </p>
      )}
    </FigureCard>
  );
}

function n(figures: IncidentFiguresJson): number {
  return figures.incident_count ?? 0;
}

function time(seconds: number | undefined): string {
  return seconds === undefined ? '-' : plainDuration(seconds);
}

function rowsOf(of: Figures, by: By): Row[] {
  if (by === 'person')
    return (of.people ?? [])
      .map(({ user_id = '', name = '', figures = {}, before }) => ({
        key: user_id,
        name,
        figures,
        before: of.pagesCompared ? before : undefined,
      }))
      .toSorted((a, b) => n(b.figures) - n(a.figures));
  return ((by === 'team' ? of.teams : of.services) ?? []).map(
    ({ id = '', name = '', figures = {}, before }) => ({
      key: id,
      name: name || none[by],
      figures,
      before,
    }),
  );
}
