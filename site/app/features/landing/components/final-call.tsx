import type { MouseEvent } from 'react';
import { Button } from '~/components/ui/button';
import * as buttonKit from '~/components/ui/button.module.css';
import * as landingStyles from '../landing.module.css';
import * as styles from './final-call.module.css';

/** The last word: register, or look at the working picture once more. */
export function FinalCall({
  onRegister,
  onDemo,
}: {
  onRegister: () => void;
  onDemo: (event: MouseEvent) => void;
}) {
  return (
    <section className={`${landingStyles.band} ${styles.finalCall}`}>
      <div className={landingStyles.wrap}>
        <h2>Sleep. We will wake you if it matters.</h2>
        <div className={landingStyles.actions}>
          <Button look="primary" size="lg" data-early="register" onClick={onRegister}>
            Get Early Access
          </Button>
          {/* biome-ignore lint/a11y/useValidAnchor: without scripts it leads to the sample. */}
          <a className={buttonKit.button} data-size="lg" data-early="demo" href="#demo" onClick={onDemo}>
            See a demo
          </a>
        </div>
        <p className="text-2">Set up in 5 minutes. 14-day trial, no setup fees, cancel anytime.</p>
      </div>
    </section>
  );
}
