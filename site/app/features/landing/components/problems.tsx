import * as landingStyles from '../landing.module.css';
import { problems } from '../sample/words';
import * as styles from './problems.module.css';

/** What a night without the product costs. */
export function Problems() {
  return (
    <section className={landingStyles.band}>
      <div className={landingStyles.wrap}>
        <h2>What a bad night costs</h2>
        <p className={landingStyles.sub}>
          Every tool can send an alert. The hard part is what happens in the next five minutes.
        </p>
        <ul className={styles.problems}>
          {problems.map(({ at, title, text }) => (
            <li key={title}>
              <span className={`${styles.at} mono`}>{at}</span>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
