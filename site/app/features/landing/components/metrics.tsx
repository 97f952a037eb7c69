import * as landingStyles from '../landing.module.css';
import { metrics } from '../sample/words';
import * as styles from './metrics.module.css';

/** Six figures in one line. */
export function Metrics() {
  return (
    <section className={`${landingStyles.band} ${landingStyles.thin}`} aria-label="In production">
      <div className={landingStyles.wrap}>
        <dl className={styles.metrics}>
          {metrics.map(({ value, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
