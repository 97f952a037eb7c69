import type { ServiceJson } from '@nightbell/proto';
import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { CodeBlock } from '~/components/ui/code-block';
import { Banner } from '~/components/ui/dialog';
import { useServiceKey } from '~/data/service-key';
import { reasonOf } from '~/lib/api';
import { mayAct } from '~/lib/role';
import { type SenderEntry, shortened } from '../model/catalogue';
import * as styles from './sender-catalogue.module.css';
import { Waiting } from './waiting';

/**
 * How a sender is set up for a service. The key is shown shortened and copied whole; it is asked for
 * when somebody copies, because each look at it is in the audit log.
 */
export function SenderDetail({ entry, service }: { entry: SenderEntry; service: ServiceJson }) {
  const read = useServiceKey(service.id ?? '');
  const [shown, setShown] = useState(false);
  const short = {
    base: read.data?.base ?? window.location.origin,
    key: shown && read.data ? read.data.key : shortened(service.service_key_hint),
  };
  const address = () => read.data ?? read.mutateAsync().catch(() => null);
  const show = async () => setShown((await address()) !== null);
  return (
    <div className={styles.senderDetail}>
      <h3>{entry.name}</h3>
      <p className={styles.about}>{entry.about}</p>
      {read.error && <Banner tone="failed">{reasonOf(read.error)}</Banner>}
      {entry.blocks.map(({ title, code }) => (
        <CodeBlock
          key={title}
          title={title}
          code={code(short)}
          whole={
            mayAct('responder')
              ? async () => {
                  const whole = await address();
                  return whole && code(whole);
                }
              : undefined
          }
        />
      ))}
      <div className={styles.key}>
        {mayAct('responder') ? (
          <>
            <Button size="sm" disabled={read.isPending} onClick={() => (shown ? setShown(false) : show())}>
              {shown ? 'Hide the key' : 'Show the key'}
            </Button>
            <span>Copy fills in the whole key. Each look at it is in the audit log.</span>
          </>
        ) : (
          'The key is shown to responders and above.'
        )}
      </div>
      {entry.more && (
        <p className="size-13">
          <a className="link" href={entry.more.to}>
            {entry.more.word}
          </a>
        </p>
      )}
      <Waiting entry={entry} serviceId={service.id ?? ''} />
    </div>
  );
}
