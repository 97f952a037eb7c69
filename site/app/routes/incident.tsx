import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { ButtonLink } from '~/components/ui/button';
import { Empty, FetchFailed } from '~/components/ui/states';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import { incidentDetail } from '~/features/incidents/api/get-incident';
import { incidentAlerts } from '~/features/incidents/api/list-alerts';
import { AffectedServices } from '~/features/incidents/components/affected-services';
import { IncidentActions } from '~/features/incidents/components/incident-actions';
import { IncidentEvidence } from '~/features/incidents/components/incident-evidence';
import { IncidentHead } from '~/features/incidents/components/incident-head';
import { IncidentFailed, IncidentLoading } from '~/features/incidents/components/incident-loading';
import { IncidentStrip } from '~/features/incidents/components/incident-strip';
import { LinkedAlerts } from '~/features/incidents/components/linked-alerts';
import { PagingLadder } from '~/features/incidents/components/paging-ladder';
import { SeverityRose } from '~/features/incidents/components/severity-rose';
import type { Incident as IncidentData } from '~/features/incidents/model/incident';
import { ApiError, reasonOf } from '~/lib/api';
import { shortId } from '~/lib/format';
import { paths } from '~/lib/paths';
import '~/features/incidents/incident-page.css';

/** One incident: what is broken, how bad, who has it, which button; then the evidence. */
export default function Incident() {
  const { id = '' } = useParams();
  const incident = useQuery(incidentDetail(id));
  // What else is shown depends on whether a program reported something.
  usePrefetchInfiniteQuery(incidentAlerts(id));
  // Here and not in meta(), because the name is known only when the incident is.
  const name = incident.data ? `${shortId(id)} ${incident.data.title}` : 'Incident';
  return (
    <>
      <title>{`${name} - Nightbell`}</title>
      <Crumb to={paths.incidents} parent="Incidents" here={<span className="mono">{shortId(id)}</span>}>
        <ThemeSwitch />
      </Crumb>
      {incident.isPending && <IncidentLoading id={id} />}
      {incident.isError && !incident.data && (
        <NoIncident id={id} error={incident.error} onRetry={() => incident.refetch()} />
      )}
      {incident.data && (
        <FetchFailed of={incident} card>
          Failed to load incident
        </FetchFailed>
      )}
      {incident.data && <Page incident={incident.data} />}
    </>
  );
}

function Page({ incident }: { incident: IncidentData }) {
  return (
    <article className="incident-page">
      <header>
        <IncidentHead incident={incident} />
        <IncidentActions incident={incident} />
      </header>
      <SeverityRose incident={incident} />
      <IncidentStrip incident={incident} />
      <div className="columns">
        <div className="stack">
          <PagingLadder incident={incident} />
          <IncidentEvidence incident={incident} />
        </div>
        <div className="stack">
          <AffectedServices incident={incident} />
          <LinkedAlerts id={incident.id} />
        </div>
      </div>
    </article>
  );
}

function NoIncident({ id, error, onRetry }: { id: string; error: Error; onRetry: () => void }) {
  const missing = error instanceof ApiError && error.status === 404;
  if (!missing) return <IncidentFailed id={id} reason={reasonOf(error)} onRetry={onRetry} />;
  return (
    <>
      <PageHead title="No such incident" />
      <div className="card">
        <Empty action={<ButtonLink to={paths.incidents}>All incidents</ButtonLink>}>{error.message}</Empty>
      </div>
    </>
  );
}
