import * as badgeKit from '~/components/ui/badge.module.css';
import { Icon, type IconName } from '~/components/ui/icon';
import * as markKit from '~/components/ui/mark.module.css';
import * as styles from './feature-pictures.module.css';

/** Two alert names sliding under the incident they became. */
export function AlertsFolding() {
  return (
    <div className={styles.folding}>
      <p>
        GatewayPoolExhausted<span>x12</span>
      </p>
      <p>
        CheckoutPaymentFailureRate<span>x41</span>
      </p>
      <p className={styles.one}>
        <span className={markKit.mark} data-severity="critical">
          <Icon name="critical" className="" />
          Checkout payments failing
        </span>
        <span className={badgeKit.count}>54 alerts</span>
      </p>
    </div>
  );
}

/** Three days of two rotations with an uncovered Saturday morning. */
export function RotationLanes() {
  return (
    <div className={styles.lanes}>
      <div className={styles.days}>
        <span>Fri</span>
        <span>Sat</span>
        <span>Sun</span>
      </div>
      <div className={styles.lane}>
        <i data-hue="2" className={styles.span5}>
          Jonas
        </i>
        <i data-hue="3" className={styles.span2}>
          Priya
        </i>
        <i className={`${styles.gap} ${styles.span2}`} />
        <i data-hue="6" className={styles.span5}>
          Amira
        </i>
      </div>
      <div className={styles.lane}>
        <i data-hue="1" className={styles.span3}>
          Mara
        </i>
        <i data-hue="5" className={styles.span6}>
          Wei
        </i>
        <i data-hue="4" className={styles.span5}>
          Tomás
        </i>
      </div>
      <p className={styles.uncovered}>
        <Icon name="alert" />
        Nobody on call Sat 08:00 to 14:00
      </p>
    </div>
  );
}

/** The steps of one policy, up to the answer. */
export function EscalationSteps() {
  return (
    <Steps
      rows={[
        ['mail', 'Mara, mail', 'at once'],
        ['slack', 'Mara, Slack', '+1:00'],
        ['webhook', 'Mara, webhook', '+2:00'],
        ['mail', 'Jonas, mail', '+5:00'],
      ]}
    />
  );
}

/** What an error that was reported says. */
export function ErrorLines() {
  return (
    <div className={styles.summary}>
      <p className={styles.said}>Payment failed: no connection to the gateway within 5 seconds.</p>
      <p>
        <span className="mono">x214</span> since release 2026.11.3
      </p>
      <p>
        <span className="mono">pool.ts:88</span> acquire, called by checkout
      </p>
    </div>
  );
}

/** What happened by itself when the incident was declared. */
export function WorkflowSteps() {
  return (
    <Steps
      rows={[
        ['check', '#incidents told', '0.4 s'],
        ['check', 'Runbook linked', '0.4 s'],
        ['check', 'Webhook received', '1.1 s'],
        ['check', 'Resolved when well', '9 min'],
      ]}
    />
  );
}

/** Seven weeks of time to acknowledge. */
export function AnalyticsBars() {
  const weeks = [58, 49, 52, 40, 44, 31, 26];
  return (
    <div className={styles.bars}>
      <div>
        <b>12m 45s</b>
        <span>MTTA, 1m 30s faster</span>
      </div>
      <svg viewBox="0 0 168 64">
        {weeks.map((height, i) => (
          <rect
            key={height}
            className={i === weeks.length - 1 ? styles.now : ''}
            x={i * 25}
            y={64 - height}
            width="18"
            height={height}
            rx="3"
          />
        ))}
      </svg>
    </div>
  );
}

/** An incident card in chat, answered there. */
export function ChatMessage() {
  return (
    <div className={styles.chat}>
      <p>
        <b>Nightbell</b> <span className="mono">03:08</span>
      </p>
      <p className={styles.said}>#c41e - Checkout payments failing in eu-west-1</p>
      <p className={styles.answered}>
        <Icon name="check" />
        Acknowledged by Mara Lindqvist, 03:12
      </p>
    </div>
  );
}

function Steps({ rows }: { rows: readonly (readonly [IconName, string, string])[] }) {
  return (
    <ol className={styles.steps}>
      {rows.map(([icon, what, when]) => (
        <li key={what}>
          <Icon name={icon} />
          {what}
          <span className="mono">{when}</span>
        </li>
      ))}
    </ol>
  );
}
