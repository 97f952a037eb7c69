import { Icon } from '~/components/ui/icon';
import * as noticeKit from '~/components/ui/notice.module.css';
import type { Incident } from '../model/incident';

/** Says that the acknowledgement was of something less severe, and what happens without a new one. */
export function SeverityRose({ incident }: { incident: Incident }) {
  if (!incident.confirmationWanted) return null;
  const { acknowledgedBy, acknowledgedSeverity, severity } = incident;
  return (
    <section className={noticeKit.notice} role="status" aria-label="Severity rose">
      <Icon name="up" />
      <p>
        <b>
          {acknowledgedBy?.name ?? 'Somebody'} acknowledged this when it was {acknowledgedSeverity}; it is{' '}
          {severity} now.
        </b>{' '}
        Acknowledge it again, or its policy pages from the first step.
      </p>
    </section>
  );
}
