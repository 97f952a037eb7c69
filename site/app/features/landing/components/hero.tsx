import { Button, ButtonLink } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import { paths } from '~/lib/paths';
import * as landingStyles from '../landing.module.css';
import * as styles from './hero.module.css';
import { NightChart } from './night-chart';
import { SampleIncident } from './sample-incident';

/** The claim, the one action, and the product itself. */
export function Hero({ onRegister }: { onRegister: () => void }) {
  return (
    <section className={styles.hero}>
      <div className={landingStyles.wrap}>
        <div className={styles.claim}>
          <div>
            <h1>The bell that wakes the right person.</h1>
            <p className={styles.lede}>
              A thousand alerts become one incident. One incident becomes one page, to the person who can fix
              it, with what they need to know on the first screen.
            </p>
            <div className={landingStyles.actions}>
              <Button look="primary" size="lg" data-early="register" onClick={onRegister}>
                Get Early Access
              </Button>
              <ButtonLink to={paths.docs} look="quiet" size="lg">
                Read the docs
                <Icon name="arrow" />
              </ButtonLink>
            </div>
            <ul className={styles.stores} aria-label="Mobile apps">
              <li>
                <a href="#wearable">
                  <Icon name="push" />
                  App Store
                </a>
              </li>
              <li>
                <a href="#wearable">
                  <Icon name="play" />
                  Google Play
                </a>
              </li>
            </ul>
          </div>
          <SampleIncident />
        </div>
        <NightChart />
      </div>
    </section>
  );
}
