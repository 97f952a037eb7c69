import type { WebhookSubscriptionJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { usePortion } from '~/components/ui/portion';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { webhookList } from '~/data/webhooks';
import { paths } from '~/lib/paths';
import { count, draftOf, filterWords, stateOf } from '../model/webhook';
import * as styles from './webhooks.module.css';

/** The programs that are told what happens, and whether that works. */
export function WebhookList({ onCreate }: { onCreate: () => void }) {
  const webhooks = useQuery(webhookList);
  const { shown, more } = usePortion(webhooks.data ?? []);
  return (
    <section className={cardKit.card} aria-label="Webhook list">
      {webhooks.isPending && <Loading what="webhooks" />}
      <FetchFailed of={webhooks}>Failed to load webhooks</FetchFailed>
      {webhooks.data?.length === 0 && (
        <Empty action={<Button onClick={onCreate}>Create the first webhook</Button>}>
          No webhook yet. One tells a program of yours what happens to incidents, signed and at least once.
        </Empty>
      )}
      <ul className={styles.webhookList}>
        {shown.map((one) => (
          <WebhookRow key={one.id} webhook={one} />
        ))}
      </ul>
      {more}
    </section>
  );
}

function WebhookRow({ webhook }: { webhook: WebhookSubscriptionJson }) {
  const { id = '', name, url, event_types: events = [] } = webhook;
  const { word, tone } = stateOf(webhook);
  const only = filterWords(draftOf(webhook));
  return (
    <li>
      <Link className={styles.title} to={paths.webhook(id)}>
        {name}
      </Link>
      <p className={`text-2 ${styles.about}`}>
        <span className="mono">{url}</span>, {count(events.length, 'event')}
        {only !== 'everything' && `, only for ${only}`}
      </p>
      <Badge tone={tone}>{word}</Badge>
    </li>
  );
}
