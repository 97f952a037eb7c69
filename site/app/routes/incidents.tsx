import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { incidentCounts, incidentList } from '~/data/incidents';
import { CountCards } from '~/features/incidents/components/count-cards';
import { CreateIncidentDialog } from '~/features/incidents/components/create-incident';
import { IncidentList } from '~/features/incidents/components/incident-list';
import * as styles from '~/features/incidents/components/list-tools.module.css';
import { countByStatus } from '~/features/incidents/model/counts';
import { toRows } from '~/features/incidents/model/incident';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [
    client.infiniteQuery(incidentList()),
    client.infiniteQuery(incidentList({ status: 'open' })),
    client.query(incidentCounts),
  ]);
}

// What is typed and filtered is in the address, which changes at once.
export const shouldRevalidate = () => false;

/** Every incident, newest first: what is broken, how bad, who has it, which button. */
export default function Incidents() {
  const list = useInfiniteQuery({ ...incidentList(), select: toRows });
  const open = useInfiniteQuery({ ...incidentList({ status: 'open' }), select: toRows });
  const counts = useQuery(incidentCounts);
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHead title="Incidents">
        {mayAct('responder') && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            Create Incident
          </Button>
        )}
      </PageHead>
      <Boundary what="The counts">
        <CountCards
          counts={counts.data ?? (list.data && !list.hasNextPage ? countByStatus(list.data) : null)}
          incidents={open.data ?? (list.hasNextPage ? undefined : list.data)}
        />
      </Boundary>
      {list.isPending && (
        <div className={cardKit.card}>
          <Loading what="incidents">
            <div className={styles.listTools} />
            <BoneRows count={12} />
          </Loading>
        </div>
      )}
      <FetchFailed of={list} card>
        Failed to load incidents
      </FetchFailed>
      {list.data && (
        <Boundary what="The list">
          <IncidentList incidents={list.data} />
        </Boundary>
      )}
      {creating && <CreateIncidentDialog onClose={() => setCreating(false)} />}
    </>
  );
}
