import type { AlertReportJson } from '@nightbell/proto';
import { Link } from 'react-router';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { CopyButton } from '~/components/ui/copy-button';
import { paths } from '~/lib/paths';
import { shortId } from '~/lib/words';
import { stackText } from '../model/stack';
import { ErrorChain } from './error-chain';
import * as styles from './report-card.module.css';
import { Occurrences, ReportedData, ReportFacts } from './report-facts';

interface ReportCardProps {
  report: AlertReportJson;
  tags?: Record<string, string>;
  /** What another alert reported is on its way, and this is shown until it has come. */
  stale?: boolean;
}

/** What a program said about the incident: its error with causes and stacks, how often, and the data of the latest occurrence. */
export function ReportCard({ report, tags, stale = false }: ReportCardProps) {
  const { error } = report;
  const hasError = (error?.exceptions?.length ?? 0) > 0;
  return (
    <Card
      title={hasError ? 'Error' : 'Reported by the program'}
      className={styles.report}
      actions={
        <>
          {stale && <span className="text-3 size-12">Of an earlier alert. Loading...</span>}
          {error && hasError && <CopyButton word="Copy as text" text={stackText(error)} />}
        </>
      }
    >
      <Occurrences report={report} />
      {report.later_incident_id && (
        <p className={`${cardKit.pad} ${styles.later}`}>
          It came back after it was resolved. What follows is of its latest occurrence, in{' '}
          <Link className="link" to={paths.incident(report.later_incident_id)}>
            {shortId(report.later_incident_id)}
          </Link>
          .
        </p>
      )}
      {error && <ErrorChain error={error} />}
      <ReportFacts report={report} tags={tags} />
      <ReportedData report={report} />
    </Card>
  );
}
