import type { GetIncidentAlertResponseJson } from '@nightbell/proto';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useRef } from 'react';
import { Boundary } from '~/components/ui/boundary';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneCard } from '~/components/ui/skeleton';
import { Failed, Loading } from '~/components/ui/states';
import { alertReport, incidentAlerts, incidentNotifications } from '~/data/incidents';
import { reasonOf } from '~/lib/api';
import type { Incident } from '../model/incident';
import { IncidentTimeline } from './incident-timeline';

const ReportCard = lazy(() => import('./report-card').then((chunk) => ({ default: chunk.ReportCard })));

/**
 * What a program reported, if one did, and the timeline. Nothing may jump, so each part waits until it is
 * known what stands above it; of who was paged nobody knows the height, so below it nothing waits in grey.
 */
export function IncidentEvidence({ incident }: { incident: Incident }) {
  const { id } = incident;
  const pages = useQuery(incidentNotifications(id));
  const alerts = useInfiniteQuery(incidentAlerts(id));
  const reported = alerts.data?.alerts.find((alert) => alert.has_report)?.id ?? '';
  const report = useQuery({
    ...alertReport(id, reported, incident.status !== 'resolved'),
    placeholderData: keepPreviousData,
  });
  const stands = useRef(false);
  stands.current ||= !pages.isPending && !alerts.isPending && (reported === '' || !report.isPending);
  if (!stands.current && pages.isPending) return null;
  const bones = (
    <Loading what="timeline" quiet>
      <BoneCard title={reported === '' ? 'Timeline' : 'Error'} count={5} />
    </Loading>
  );
  // Once the box for comments stands, it never goes: the rest of a word would be commands to the page.
  if (!stands.current) return bones;
  return (
    <Suspense fallback={bones}>
      {report.isError && !report.data && (
        <div className={cardKit.card}>
          <Failed detail={reasonOf(report.error)} onRetry={() => report.refetch()}>
            Failed to load the error
          </Failed>
        </div>
      )}
      <Boundary what="The error">
        <Reported answer={reported === '' ? undefined : report.data} stale={report.isPlaceholderData} />
      </Boundary>
      <Boundary what="The timeline">
        <IncidentTimeline id={id} />
      </Boundary>
    </Suspense>
  );
}

// Deferred, a card whose code is still on its way hides nothing that stands already.
function Reported({ answer, stale }: { answer: GetIncidentAlertResponseJson | undefined; stale: boolean }) {
  const shown = useDeferredValue(answer);
  return shown?.report && <ReportCard report={shown.report} tags={shown.alert?.labels} stale={stale} />;
}
