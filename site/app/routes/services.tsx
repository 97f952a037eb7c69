import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { serviceList } from '~/data/services';
import { AddServiceDialog } from '~/features/services/components/add-service-dialog';
import { ServiceTable } from '~/features/services/components/service-table';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [client.query(serviceList)]);
}

/** What the team runs, how it is, and where its alerts go. */
export default function Services() {
  const list = useQuery(serviceList);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <PageHead title="Services">
        {mayAct('responder') && (
          <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
            Add Service
          </Button>
        )}
      </PageHead>
      <section className={cardKit.card} aria-label="Service list">
        {list.isPending && (
          <Loading what="services">
            <BoneRows count={7} />
          </Loading>
        )}
        <FetchFailed of={list}>Failed to load services</FetchFailed>
        {list.data?.length === 0 && (
          <Empty
            action={
              mayAct('responder') && <Button onClick={() => setAdding(true)}>Add the first service</Button>
            }
          >
            No services yet. {mayAct('responder') && 'Add one to get a webhook address for its alerts.'}
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Boundary what="The services">
            <ServiceTable services={list.data} />
          </Boundary>
        )}
      </section>
      {adding && <AddServiceDialog onClose={() => setAdding(false)} />}
    </>
  );
}
