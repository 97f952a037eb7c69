import { Icon, type IconName } from '~/components/ui/icon';

/** Two alert names sliding under the incident they became. */
export function AlertsFolding() {
  return (
    <div className="folding">
      <p>
        GatewayPoolExhausted<span>x12</span>
      </p>
      <p>
        CheckoutPaymentFailureRate<span>x41</span>
      </p>
      <p className="one">
        <span className="mark severity-critical">
          <Icon name="critical" className="" />
          Checkout payments failing
        </span>
        <span className="count">54 alerts</span>
      </p>
    </div>
  );
}

/** Three days of two rotations with an uncovered Saturday morning. */
export function RotationLanes() {
  return (
    <div className="lanes">
      <div className="days">
        <span>Fri</span>
        <span>Sat</span>
        <span>Sun</span>
      </div>
      <div className="lane">
        <i className="person-2 span-5">Jonas</i>
        <i className="person-3 span-2">Priya</i>
        <i className="gap span-2" />
        <i className="person-6 span-5">Amira</i>
      </div>
      <div className="lane">
        <i className="person-1 span-3">Mara</i>
        <i className="person-5 span-6">Wei</i>
        <i className="person-4 span-5">Tomás</i>
      </div>
      <p className="uncovered">
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
        ['push', 'Mara, push', 'at once'],
        ['sms', 'Mara, SMS', '+1:00'],
        ['phone', 'Mara, call', '+2:00'],
        ['phone', 'Jonas, call', '+5:00'],
      ]}
    />
  );
}

/** What a generated summary looks like. */
export function SummaryLines() {
  return (
    <div className="summary">
      <p className="said">The release lowered the gateway pool from 64 to 16 connections.</p>
      <p>
        <span className="mono">91%</span> like #77d0, rolled back in 9 minutes
      </p>
      <p>
        <span className="mono">74%</span> like #e2b9, card timeouts
      </p>
    </div>
  );
}

/** What happened by itself when the incident was declared. */
export function WorkflowSteps() {
  return (
    <Steps
      rows={[
        ['check', '#inc-checkout opened', '0.4 s'],
        ['check', 'Status page updated', '1.1 s'],
        ['check', 'OPS-2318 filed', '1.9 s'],
        ['check', 'Runbook linked', '2.0 s'],
      ]}
    />
  );
}

/** Seven weeks of time to acknowledge. */
export function AnalyticsBars() {
  const weeks = [58, 49, 52, 40, 44, 31, 26];
  return (
    <div className="bars">
      <div>
        <b>12m 45s</b>
        <span>MTTA, 1m 30s faster</span>
      </div>
      <svg viewBox="0 0 168 64">
        {weeks.map((height, i) => (
          <rect
            key={height}
            className={i === weeks.length - 1 ? 'now' : ''}
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
    <div className="chat">
      <p>
        <b>Nightbell</b> <span className="mono">03:08</span>
      </p>
      <p className="said">#c41e - Checkout payments failing in eu-west-1</p>
      <p className="answered">
        <Icon name="check" />
        Acknowledged by Mara Lindqvist, 03:12
      </p>
    </div>
  );
}

function Steps({ rows }: { rows: readonly (readonly [IconName, string, string])[] }) {
  return (
    <ol className="steps">
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
