import { useQuery } from '@tanstack/react-query';
import { Crumb } from '~/components/layout/crumb';
import { Title } from '~/components/layout/title';
import { Boundary } from '~/components/ui/boundary';
import { FetchFailed } from '~/components/ui/states';
import { ThemeSwitch } from '~/components/ui/theme-switch';
import { prefetch } from '~/data/cache';
import { incidentAlerts, incidentDetail, incidentNotifications, incidentTimeline } from '~/data/incidents';
import { serviceList } from '~/data/services';
import { AffectedServices } from '~/features/incidents/components/affected-services';
import { IncidentActions } from '~/features/incidents/components/incident-actions';
import { IncidentEvidence } from '~/features/incidents/components/incident-evidence';
import { IncidentHead } from '~/features/incidents/components/incident-head';
import { IncidentLoading } from '~/features/incidents/components/incident-loading';
import * as styles from '~/features/incidents/components/incident-page.module.css';
import { IncidentStrip } from '~/features/incidents/components/incident-strip';
import { LinkedAlerts } from '~/features/incidents/components/linked-alerts';
import { NoIncident } from '~/features/incidents/components/no-incident';
import { PagingLadder } from '~/features/incidents/components/paging-ladder';
import { RelatedIncidents } from '~/features/incidents/components/related-incidents';
import { SeverityRose } from '~/features/incidents/components/severity-rose';
import { Subscribers } from '~/features/incidents/components/subscribers';
import { type Incident as IncidentData, toIncident } from '~/features/incidents/model/incident';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { shortId } from '~/lib/words';
import type { Route } from './+types/incident';

/** All parts at once. What else is shown depends on whether a program reported something. */
export function clientLoader({ params: { id } }: Route.ClientLoaderArgs) {
  return prefetch((client) => [
    client.query(incidentDetail(id)),
    client.query(incidentNotifications(id)),
    client.query(incidentTimeline(id)),
    client.infiniteQuery(incidentAlerts(id)),
    client.query(serviceList),
  ]);
}

/** One incident: what is broken, how bad, who has it, which button; then the evidence. */
export default function Incident({ params: { id } }: Route.ComponentProps) {
  const incident = useQuery({ ...incidentDetail(id), select: toIncident });
  return (
    <>
      {incident.data && <Title>{`${shortId(id)} ${incident.data.title}`}</Title>}
      {incident.isPending && <Title>Incident</Title>}
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
      {/* Nothing of one incident may be meant for the next: no half-written comment, dialog or press. */}
      {incident.data && <Page key={id} incident={incident.data} />}
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
          <Boundary what="The related incidents">
            <RelatedIncidents incident={incident} />
          </Boundary>
          <Boundary what="The subscribers">
            <Subscribers incident={incident} />
          </Boundary>
        </div>
      </div>
    </article>
  );
}
