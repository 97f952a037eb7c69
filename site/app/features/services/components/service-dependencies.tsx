import type { ServiceJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Boundary } from '~/components/ui/boundary';
import { Card } from '~/components/ui/card';
import { HealthMark } from '~/components/ui/mark';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { serviceList } from '~/data/services';
import { paths } from '~/lib/paths';
import { capitalised } from '~/lib/words';
import { type Dependencies, dependenciesOf, layout } from '../model/dependencies';
import * as styles from './service-dependencies.module.css';

/** What the service needs and what needs it, as a picture and as a list, each with its health. */
export function ServiceDependencies({ service }: { service: ServiceJson }) {
  return (
    <Boundary what="The dependencies">
      <DependenciesCard service={service} />
    </Boundary>
  );
}

function DependenciesCard({ service }: { service: ServiceJson }) {
  const services = useQuery(serviceList);
  const found = dependenciesOf(service.id ?? '', services.data ?? []);
  const none = found.needs.length + found.neededBy.length === 0;
  return (
    <Card title="Dependencies">
      {services.isPending && <Loading what="services" quiet />}
      <FetchFailed of={services} />
      {services.data && none && <Empty>It depends on no other service, and none depends on it.</Empty>}
      {services.data && !none && (
        <>
          <Picture service={service} of={found} />
          <Side title="Depends on" services={found.needs} />
          <Side title="Used by" services={found.neededBy} />
        </>
      )}
    </Card>
  );
}

function Side({ title, services }: { title: string; services: readonly ServiceJson[] }) {
  if (services.length === 0) return null;
  return (
    <section className={styles.side} aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {services.map(({ id = '', name = '', health = 'healthy' }) => (
          <li key={id}>
            <Link className="grow" to={paths.service(id)}>
              {name}
            </Link>
            <HealthMark value={health} word={capitalised(health)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const [columnStep, rowStep, dot] = [120, 34, 7];

// The list says the same in words, so readers of the screen are spared the picture.
function Picture({ service, of }: { service: ServiceJson; of: Dependencies }) {
  const { nodes, rows } = layout(service, of);
  const columns = [of.neededBy.length > 0, true, of.needs.length > 0];
  const first = columns[0] ? 0 : 1;
  const x = (column: number) => (column - first) * columnStep + columnStep / 2;
  const y = (row: number) => row * rowStep + rowStep / 2;
  const width = columns.filter(Boolean).length * columnStep;
  const middle = nodes.find(({ column }) => column === 1);
  return (
    <svg className={styles.picture} viewBox={`0 0 ${width} ${rows * rowStep + 8}`} aria-hidden="true">
      {nodes.map(({ service: { id }, column, row }) => {
        if (column === 1 || !middle) return null;
        const [from, to] = column === 0 ? [{ column, row }, middle] : [middle, { column, row }];
        const [x1, x2] = [x(from.column) + dot, x(to.column) - dot];
        const bend = (x1 + x2) / 2;
        return (
          <path
            key={`${column}-${id}`}
            className={styles.edge}
            d={`M${x1} ${y(from.row)}C${bend} ${y(from.row)} ${bend} ${y(to.row)} ${x2} ${y(to.row)}`}
          />
        );
      })}
      {nodes.map(({ service: { id, name = '', health = 'healthy' }, column, row }) => (
        <g key={`${column}-${id}`} data-health={health}>
          <Shape health={health} x={x(column)} y={y(row)} />
          <text x={x(column)} y={y(row) + 19} textAnchor="middle">
            {name.length > 18 ? `${name.slice(0, 17)}…` : name}
          </text>
        </g>
      ))}
    </svg>
  );
}

// Health by shape as well as by colour: a circle, a triangle, a square.
function Shape({ health, x, y }: { health: string; x: number; y: number }) {
  if (health === 'down')
    return <rect x={x - dot + 1} y={y - dot + 1} width={2 * dot - 2} height={2 * dot - 2} rx="2" />;
  if (health === 'degraded') return <path d={`M${x} ${y - dot}L${x + dot} ${y + dot - 1}H${x - dot}Z`} />;
  return <circle cx={x} cy={y} r={dot - 1} />;
}
