import type { ServiceJson } from '@nightbell/proto';
import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router';
import { IconButton } from '~/components/ui/button';
import { FilterField } from '~/components/ui/filter-field';
import { HealthMark } from '~/components/ui/mark';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { Tabs } from '~/components/ui/tabs';
import { useAddressParams } from '~/lib/address-params';
import { useNow } from '~/lib/clock';
import { relativeTime } from '~/lib/format';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
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
  const [text, setText] = useState('');
  const found = worstFirst(matching(services, useDeferredValue(text)));
  const setup = view === 'configurations';
  const mayEdit = mayAct('responder');
  const [editing, setEditing] = useState<ServiceJson | null>(null);
  const { shown, more } = usePortion(found);
  if (services.length === 0) return <Empty>{emptyWords[view]}</Empty>;
  return (
    <>
      <FilterField
        label="Search name or owner"
        text={text}
        onChange={setText}
        shown={found.length}
        total={services.length}
      />
      {found.length === 0 && <Empty>No service with these words.</Empty>}
      {found.length > 0 && (
        <table className={`${tableKit.table} ${styles.serviceTable}`}>
          <thead>
            <tr>
              {['Service Name', 'Owner', 'Health', 'Incidents', setup ? 'Missing' : 'Last Incident'].map(
                (column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ),
              )}
              {mayEdit && (
                <th scope="col">
                  <span className="visually-hidden">Edit</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((service) => (
              <tr key={service.id}>
                <td>
                  <Link className={styles.title} to={paths.service(service.id ?? '')}>
                    {service.name}
                  </Link>
                </td>
                <td className="text-2">{service.team?.name || service.owner?.name}</td>
                <td>
                  <HealthMark value={service.health ?? 'healthy'} />
                </td>
                <td className={styles.openCount} data-health={service.health}>
                  {service.open_incident_count ?? 0}
                </td>
                <td className="text-2">{setup ? lacks(service).join(', ') : lastIncident(service, now)}</td>
                {mayEdit && (
                  <td className={styles.edit}>
                    <IconButton
                      icon="edit"
                      size="sm"
                      label={`Edit ${service.name}`}
                      onClick={() => setEditing(service)}
                    />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
      {editing && <EditServiceDialog service={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function lastIncident({ last_incident_at: at }: ServiceJson, now: Date): string {
  return at ? relativeTime(new Date(at), now) : 'Never';
}

function matching(services: readonly ServiceJson[], text: string): readonly ServiceJson[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return services;
  return services.filter(({ name, team, owner }) =>
    [name, team?.name, owner?.name].some((word) => word?.toLowerCase().includes(wanted)),
  );
}
