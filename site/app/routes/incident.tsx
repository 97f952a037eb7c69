import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Crumb } from '~/components/layout/crumb';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty, FetchFailed } from '~/components/ui/states';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import { incidentAlerts, incidentDetail } from '~/data/incidents';
import { AffectedServices } from '~/features/incidents/components/affected-services';
import { IncidentActions } from '~/features/incidents/components/incident-actions';
import { IncidentEvidence } from '~/features/incidents/components/incident-evidence';
import { IncidentHead } from '~/features/incidents/components/incident-head';
import { IncidentFailed, IncidentLoading } from '~/features/incidents/components/incident-loading';
import * as styles from '~/features/incidents/components/incident-page.module.css';
import { IncidentStrip } from '~/features/incidents/components/incident-strip';
import { LinkedAlerts } from '~/features/incidents/components/linked-alerts';
import { PagingLadder } from '~/features/incidents/components/paging-ladder';
import { SeverityRose } from '~/features/incidents/components/severity-rose';
import { type Incident as IncidentData, toIncident } from '~/features/incidents/model/incident';
import { ApiError, reasonOf } from '~/lib/api';
import { shortId } from '~/lib/format';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';

/** One incident: what is broken, how bad, who has it, which button; then the evidence. */
export default function Incident() {
  const { id = '' } = useParams();
  const incident = useQuery({ ...incidentDetail(id), select: toIncident });
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
    <article className={styles.incidentPage}>
      <header>
        <Boundary what="The head of this incident">
          <IncidentHead incident={incident} />
        </Boundary>
        {mayAct('responder') && <IncidentActions incident={incident} />}
      </header>
      <Boundary what="What this incident is now">
        <SeverityRose incident={incident} />
        <IncidentStrip incident={incident} />
      </Boundary>
      <div className={styles.columns}>
        <div className="stack">
          <Boundary what="Paging">
            <PagingLadder incident={incident} />
          </Boundary>
          <IncidentEvidence incident={incident} />
        </div>
        <div className="stack">
          <Boundary what="The affected service">
            <AffectedServices incident={incident} />
          </Boundary>
          <Boundary what="The linked alerts">
            <LinkedAlerts id={incident.id} />
          </Boundary>
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
      <div className={cardKit.card}>
        <Empty action={<ButtonLink to={paths.incidents}>All incidents</ButtonLink>}>{error.message}</Empty>
      </div>
    </>
  );
}
