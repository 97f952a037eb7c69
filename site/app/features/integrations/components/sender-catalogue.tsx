import type { SenderJson, ServiceJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { type Ref, useId, useRef } from 'react';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import * as fieldKit from '~/components/ui/field.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { ToolLogo } from '~/components/ui/tool-logo';
import { senderList } from '~/data/senders';
import { serviceList } from '~/data/services';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useNow } from '~/lib/time/clock';
import { entryOf, type SenderEntry } from '../model/catalogue';
import { calledLast } from './integration-cards';
import * as styles from './sender-catalogue.module.css';
import { SenderDetail } from './sender-detail';

interface CatalogueProps {
  entries: readonly SenderEntry[];
  /** The kind that is shown, and the service that it sends for; the first ones when they are unknown. */
  kind: string | null;
  serviceId: string | null;
  onKind: (kind: string) => void;
  onService: (id: string) => void;
  /** Where the eye is led when an integration is to be added. */
  ref?: Ref<HTMLHeadingElement>;
}

/** Every sender that works, for a service: the address, a configuration to copy, and whether it calls. */
export function SenderCatalogue({ entries, kind, serviceId, onKind, onService, ref }: CatalogueProps) {
  const id = useId();
  const detail = useRef<HTMLDivElement>(null);
  const services = useQuery(serviceList);
  const service = services.data?.find((one) => one.id === serviceId) ?? services.data?.[0];
  const entry = entries.find((one) => one.kind === kind) ?? entries[0] ?? entryOf(null);
  // On a phone what was chosen stands below the list.
  const choose = (next: string) => {
    onKind(next);
    if (window.matchMedia?.('(max-width: 900px)').matches)
      setTimeout(() => detail.current?.scrollIntoView({ block: 'start' }));
  };
  return (
    <section className={`${cardKit.card} ${styles.senderCatalogue}`} aria-labelledby={id}>
      <header>
        <h2 id={id} ref={ref} tabIndex={-1}>
          Send alerts here
        </h2>
        {service && (
          <div className={styles.service}>
            <label htmlFor={`${id}service`}>
              <span className="hide-phone">Each service has its own key. </span>Service
            </label>
            <div className={fieldKit.field}>
              <select
                id={`${id}service`}
                value={service.id}
                onChange={(event) => onService(event.target.value)}
              >
                {services.data?.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}
                  </option>
                ))}
              </select>
            </div>
          </div>
        )}
      </header>
      {services.isPending && (
        <Loading what="services">
          <BoneRows count={13} />
        </Loading>
      )}
      <FetchFailed of={services}>Failed to load services</FetchFailed>
      {services.data?.length === 0 && <NoService />}
      {service && (
        <div className={styles.senderColumns}>
          <SenderNames entries={entries} chosen={entry} service={service} onChoose={choose} />
          <div ref={detail} className={styles.senderPlace}>
            <SenderDetail key={`${entry.kind} ${service.id}`} entry={entry} service={service} />
          </div>
        </div>
      )}
    </section>
  );
}

function NoService() {
  const may = mayAct('responder');
  return (
    <Empty action={may && <ButtonLink to={paths.services}>Add a service</ButtonLink>}>
      Alerts are about a service, and there is none yet.
    </Empty>
  );
}

interface NamesProps {
  entries: readonly SenderEntry[];
  chosen: SenderEntry;
  service: ServiceJson;
  onChoose: (kind: string) => void;
}

function SenderNames({ entries, chosen, service, onChoose }: NamesProps) {
  const senders = useQuery(senderList(service.id)).data;
  const now = useNow(30_000);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <nav className={styles.senderList} aria-label="Senders">
      {groups.map((group) => (
        <div key={group}>
          <h3>{group}</h3>
          {entries
            .filter((one) => one.group === group)
            .map((one) => (
              <button
                key={one.kind}
                type="button"
                aria-current={one === chosen ? 'true' : undefined}
                onClick={() => onChoose(one.kind)}
              >
                <ToolLogo name={one.name} src={one.logo ?? ''} />
                <span>{one.name}</span>
                {senders && <SenderState sender={senders.find(({ kind }) => kind === one.kind)} now={now} />}
              </button>
            ))}
        </div>
      ))}
    </nav>
  );
}

// Whether a sender calls, in a word or two.
function SenderState({ sender, now }: { sender: SenderJson | undefined; now: Date }) {
  if (!sender) return <span data-on={false}>Not set up</span>;
  return <span data-on={sender.connected ?? false}>{calledLast(sender, now)}</span>;
}
