import { chart, incidentsAt, sampleNight } from '../model/night';
import * as styles from './night-chart.module.css';

const night = sampleNight();
const hours = ['18:00', '20:00', '22:00', '00:00', '02:00', '04:00', '06:00', '08:00'];

/** One sample night: every alert a dot, three incidents, one person woken. */
export function NightChart() {
  const [cleanup, page, morning] = incidentsAt;
  return (
    <div className={styles.night}>
      <div className={styles.caption}>
        <p>
          A sample night. <b>{night.count.toLocaleString('en-US')} alerts</b> in, <b>3 incidents</b>,{' '}
          <b className={styles.needed}>1 person woken</b>.
        </p>
        <p className="text-3 size-13 hide-phone">
          Each dot is an alert. Repeats fold into the incident they belong to.
        </p>
      </div>
      <div className={styles.picture}>
        <svg
          viewBox={`0 0 ${chart.width} 158`}
          role="img"
          aria-label="Alerts between 18:00 and 08:00 with three incidents and one page at 03:08"
        >
          <path className={`${styles.alerts} ${styles.quiet}`} d={night.quiet} />
          <path className={styles.alerts} d={night.storm} />
          <path className={styles.axis} d={`M0 124h${chart.width}`} />
          <path className={styles.woke} d={`M${page} 18v106`} />
          <circle className={styles.kept} cx={cleanup} cy="124" r="5" />
          <circle className={styles.wokeDot} cx={page} cy="124" r="6.5" />
          <circle className={styles.kept} cx={morning} cy="124" r="5" />
          <text x={cleanup} y="12" textAnchor="middle">
            closed by itself
          </text>
          <text className={styles.wokeWord} x={page} y="12" textAnchor="middle">
            03:08 Mara is called
          </text>
          <text x={morning} y="12" textAnchor="middle">
            waits for morning
          </text>
          {hours.map((hour, i) => (
            <text
              key={hour}
              x={(chart.width / (hours.length - 1)) * i}
              y="150"
              textAnchor={i === 0 ? 'start' : i === hours.length - 1 ? 'end' : 'middle'}
            >
              {hour}
            </text>
          ))}
        </svg>
      </div>
    </div>
  );
}
