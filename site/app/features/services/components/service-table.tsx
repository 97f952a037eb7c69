import type { ServiceJson } from '@nightbell/proto';
import { useState } from 'react';
import { Link } from 'react-router';
import { IconButton } from '~/components/ui/button';
import { type Column, DataTable } from '~/components/ui/data-table';
import { HealthMark } from '~/components/ui/mark';
import * as tableKit from '~/components/ui/table.module.css';
import { Tabs } from '~/components/ui/tabs';
import { useAddressParams } from '~/lib/address-params';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useNow } from '~/lib/time/clock';
import { dateOf } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
import { worstFirst } from '../model/health';
import { inView, lacks, type ServiceView, viewOf } from '../model/views';
import { EditServiceDialog } from './edit-service-dialog';
import * as styles from './service-table.module.css';

const tabs: readonly { value: ServiceView; word: string }[] = [
  { value: 'all', word: 'All Services' },
  { value: 'configurations', word: 'Configurations' },
  { value: 'incidents', word: 'Incidents' },
];

// What an empty view says: good news, so plainly.
const emptyWords: Record<ServiceView, string> = {
  all: 'No services yet.',
  configurations: 'Every service has an owner and a repo.',
  incidents: 'No service has open incidents.',
};

/** The services under three tabs that filter; the chosen one stands in the page's address. */
export function ServiceTable({ services }: { services: readonly ServiceJson[] }) {
  const [params, setParams] = useAddressParams();
  const view = viewOf(params.get('view'));
  const choose = (next: ServiceView) =>
    setParams((current) => {
      const { view: _, ...others } = Object.fromEntries(current);
      return next === 'all' ? others : { ...others, view: next };
    });
  return (
    <div className={styles.serviceLists}>
      <Tabs label="Service lists" tabs={tabs} value={view} onChoose={choose}>
        <ServiceRows key={view} services={inView(services, view)} view={view} />
      </Tabs>
    </div>
  );
}

// The services with their health, counted from open incidents; the worst first. Typing narrows by name or owner.
function ServiceRows({ services, view }: { services: readonly ServiceJson[]; view: ServiceView }) {
  const now = useNow(30_000);
  const setup = view === 'configurations';
  const [editing, setEditing] = useState<ServiceJson | null>(null);
  const columns: (Column<ServiceJson> | false)[] = [
    {
      head: 'Service Name',
      cell: ({ id, name }) => (
        <Link className={tableKit.title} to={paths.service(id ?? '')}>
          {name}
        </Link>
      ),
    },
    { head: 'Owner', className: 'text-2', cell: ({ team, owner }) => team?.name || owner?.name },
    { head: 'Health', cell: ({ health = 'healthy' }) => <HealthMark value={health} /> },
    {
      head: 'Incidents',
      cell: ({ health, open_incident_count = 0 }) => (
        <span className={styles.openCount} data-health={health}>
          {open_incident_count}
        </span>
      ),
    },
    {
      head: setup ? 'Missing' : 'Last Incident',
      className: 'text-2',
      cell: (service) => (setup ? lacks(service).join(', ') : lastIncident(service, now)),
    },
    mayAct('responder') && {
      head: 'Edit',
      quiet: true,
      className: tableKit.actions,
      cell: (service) => (
        <IconButton
          icon="edit"
          size="sm"
          label={`Edit ${service.name}`}
          onClick={() => setEditing(service)}
        />
      ),
    },
  ];
  return (
    <>
      <DataTable
        label={tabs.find(({ value }) => value === view)?.word ?? ''}
        className={styles.serviceTable}
        rows={worstFirst(services)}
        keyOf={({ id }) => id}
        columns={columns}
        filter={{
          label: 'Search name or owner',
          none: 'No service with these words.',
          words: ({ name, team, owner }) => [name, team?.name, owner?.name],
        }}
        empty={emptyWords[view]}
      />
      {editing && <EditServiceDialog service={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function lastIncident({ last_incident_at: at }: ServiceJson, now: Date): string {
  return at ? relativeTime(dateOf(at), now) : 'Never';
}
