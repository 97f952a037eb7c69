import type { ReactNode } from 'react';
import * as cardKit from '~/components/ui/card.module.css';
import * as landingStyles from '../landing.module.css';
import {
  AlertsFolding,
  AnalyticsBars,
  ChatMessage,
  ErrorLines,
  EscalationSteps,
  RotationLanes,
  WorkflowSteps,
} from './feature-pictures';
import * as styles from './features.module.css';

/** The seven features, each with a small picture of the real screen. */
export function Features() {
  return (
    <section className={landingStyles.band} id="features">
      <div className={landingStyles.wrap}>
        <h2>From signal to sleep, in one place</h2>
        <p className={landingStyles.sub}>
          Seven parts that share one timeline, so nobody has to piece the night together afterwards.
        </p>
        <ul className={styles.features}>
          <Feature
            wide
            title="Smart alerts"
            text="Repeats, neighbours and symptoms fold into one incident. You are paged once, with the count."
            picture={<AlertsFolding />}
          />
          <Feature
            wide
            title="On-call scheduling"
            text="Layers, overrides and clock changes resolve to one final schedule. Gaps show before they hurt."
            picture={<RotationLanes />}
          />
          <Feature
            title="Escalation policies"
            text="Mail, Slack, webhook, next person. Every step has a delay, and acknowledging stops all of them."
            picture={<EscalationSteps />}
          />
          <Feature
            title="AI-powered detection"
            text="Errors that are alike become one incident, with the chain of causes there before you have found your glasses."
            picture={<ErrorLines />}
          />
          <Feature
            title="Automation workflows"
            text="Signed webhooks tell your ticket system and your scripts what happens. What is well again resolves itself."
            picture={<WorkflowSteps />}
          />
          <Feature
            wide
            title="Analytics reporting"
            text="Time to acknowledge, time to resolve and who carried the night, by team and by service."
            picture={<AnalyticsBars />}
          />
          <Feature
            wide
            title="Team collaboration"
            text="Acknowledge from Slack, comment from the browser. One timeline keeps both."
            picture={<ChatMessage />}
          />
        </ul>
      </div>
    </section>
  );
}

function Feature({
  title,
  text,
  picture,
  wide = false,
}: {
  title: string;
  text: string;
  picture: ReactNode;
  wide?: boolean;
}) {
  return (
    <li className={wide ? `${cardKit.card} ${styles.wide}` : cardKit.card}>
      <div className={styles.picture} aria-hidden="true">
        {picture}
      </div>
      <h3>{title}</h3>
      <p>{text}</p>
    </li>
  );
}
