import { Link } from 'react-router';
import * as tableKit from '~/components/ui/table.module.css';
import { paths } from '~/lib/paths';
import { plainDuration } from '~/lib/time/words';
import { alertSheet, type Figures } from '../model/sheets';
import { counted } from '../model/words';
import { AcrossBar } from './day-bars';
import { FigureCard } from './figure-card';
import * as styles from './noise-card.module.css';

// How many stand beside the picture; the table and the file have all.
const drawn = 10;

/** The alerts that paged most, with what they cost in sleep. */
export function NoiseCard({ of }: { of: Figures }) {
  const alerts = of.alerts ?? [];
  const most = Math.max(1, ...alerts.map((one) => one.page_count ?? 0));
  const pages = alerts.reduce((sum, one) => sum + (one.page_count ?? 0), 0);
  return (
    <FigureCard
      title="Noisiest alerts"
      note="What they cost in sleep"
      figure={`${pages} of ${counted(of.period?.figures?.page_count ?? 0, 'page')}`}
      sentence={
        alerts.length === 0
          ? 'No alert paged anybody.'
          : `From ${counted(alerts.length, 'alert')}${(of.alert_count ?? 0) > alerts.length ? `, the noisiest of ${of.alert_count}` : ''}. Sleep that two alerts took together counts for both.`
      }
      sheet={alertSheet(of)}
    >
      {alerts.length > 0 && (
        <table className={`${tableKit.table} ${styles.noise}`}>
          <thead>
            <tr>
              <th scope="col">Alert</th>
              <th scope="col" className={styles.wide}>
                <span className="visually-hidden">Share</span>
              </th>
              <th scope="col">Pages</th>
              {of.pagesCompared && <th scope="col">Before</th>}
              <th scope="col">Incidents</th>
              <th scope="col">Ended by themselves</th>
              <th scope="col">At night</th>
              <th scope="col">Sleep lost</th>
            </tr>
          </thead>
          <tbody>
            {alerts.slice(0, drawn).map((one) => (
              <tr key={one.incident_id}>
                <td className={styles.alert}>
                  <Link to={paths.incident(one.incident_id ?? '')}>{one.title}</Link>
                  <span>{one.service_name || 'No service'}</span>
                </td>
                <td className={styles.wide}>
                  <AcrossBar value={one.page_count ?? 0} most={most} />
                </td>
                <td data-label="Pages">
                  <b>{one.page_count ?? 0}</b>
                </td>
                {of.pagesCompared && (
                  <td data-label="Before" className="text-3">
                    {one.before_page_count ?? 0}
                  </td>
                )}
                <td data-label="Incidents">{one.incident_count ?? 0}</td>
                <td data-label="Ended by themselves">{one.unanswered_count ?? 0}</td>
                <td data-label="At night">{one.night_page_count ?? 0}</td>
                <td data-label="Sleep lost">
                  <b>{one.sleep_lost_seconds ? plainDuration(one.sleep_lost_seconds) : '0'}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {alerts.length > drawn && (
        <p className={styles.rest}>{alerts.length - drawn} more stand in the table.</p>
      )}
    </FigureCard>
  );
}
