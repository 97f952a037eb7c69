import { Icon } from '~/components/ui/icon';
import * as landingStyles from '../landing.module.css';
import * as styles from './wearable.module.css';

/** A page on a watch and on a locked phone. */
export function Wearable() {
  return (
    <section className={landingStyles.band} id="wearable">
      <div className={`${landingStyles.wrap} ${styles.wearable}`}>
        <div>
          <h2>Answer from your wrist</h2>
          <p className={landingStyles.sub}>
            A page reaches every screen that shows your notifications. One tap says "I have it".
          </p>
          <ul>
            <li>
              <Icon name="watch" />
              <p>
                <b>One decision per page.</b> What broke, how bad, one button.
              </p>
            </li>
            <li>
              <Icon name="moon" />
              <p>
                <b>Quiet for everyone else.</b> Only the person on call is woken.
              </p>
            </li>
            <li>
              <Icon name="phone" />
              <p>
                <b>Falls back to the next.</b> If no tap comes, it pages the next person.
              </p>
            </li>
          </ul>
          <p className="size-13 text-3">
            The iPhone and Android apps are not in the stores yet. Until they are, pages come by the channels
            you set up, and the browser does the rest.
          </p>
        </div>
        <Devices />
      </div>
    </section>
  );
}

function Devices() {
  return (
    <div className={styles.devices} aria-hidden="true">
      <div className={styles.watch}>
        <div>
          <small>
            <span>Nightbell</span>
            <span>03:08</span>
          </small>
          <b>Checkout payments failing</b>
          <em>Critical, eu-west-1</em>
          <span className={styles.tap}>Acknowledge</span>
        </div>
      </div>
      <div className={styles.lockScreen}>
        <p className={styles.time}>03:08</p>
        <p className={styles.date}>Wednesday 25 March</p>
        <div className={styles.note}>
          <small>
            <Icon name="logo" className="" />
            Nightbell<span>now</span>
          </small>
          <b>Critical: Checkout payments failing</b>
          38% of payments fail. You are on call.
        </div>
        <div className={`${styles.note} ${styles.old}`}>
          <small>
            <Icon name="logo" className="" />
            Nightbell<span>1h</span>
          </small>
          Priya Raman acknowledged #9a07
        </div>
      </div>
    </div>
  );
}
