import type { WebhookDeliveryJson } from '@nightbell/proto';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { usePortion } from '~/components/ui/portion';
import { Segmented } from '~/components/ui/segmented';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { deliveryList, useRedeliver } from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { useNow } from '~/lib/clock';
import { fullTime, relativeTime } from '~/lib/format';
import { toast } from '~/lib/toast';
import { outcomeOf } from '../model/webhook';
import { ReplayDialog } from './replay-dialog';
import * as styles from './webhooks.module.css';

const statuses = [
  { value: '', content: 'All' },
  { value: 'pending', content: 'Waiting' },
  { value: 'delivered', content: 'Delivered' },
  { value: 'failed', content: 'Given up' },
];

const emptyWords: Record<string, string> = {
  '': 'Nothing was delivered in the last 30 days.',
  pending: 'Nothing waits to be delivered.',
  delivered: 'Nothing was delivered in the last 30 days.',
  failed: 'Nothing was given up in the last 30 days.',
};

const columns = ['Event', 'Status', 'Answer', 'When', ''];

/** What a webhook was told, what its receiver answered, and a way to send it again. */
export function Deliveries({ webhookId, enabled }: { webhookId: string; enabled: boolean }) {
  const [status, setStatus] = useState('');
  const [replaying, setReplaying] = useState(false);
  const list = useInfiniteQuery(deliveryList(webhookId, status));
  const again = useRedeliver(webhookId);
  const now = useNow(10_000);
  const { shown, more } = usePortion(list.data ?? [], { source: list, first: 20 });
  const send = (id: string) =>
    again.mutate(id, {
      onError: (cause) => toast({ kind: 'failure', title: 'Not sent again', detail: reasonOf(cause) }),
    });
  return (
    <Card
      title="Deliveries"
      actions={
        <Button size="sm" icon="refresh" disabled={!enabled} onClick={() => setReplaying(true)}>
          Replay events
        </Button>
      }
    >
      <div className={styles.statuses}>
        <Segmented label="Status" choices={statuses} value={status} onChoose={setStatus} />
      </div>
      {list.isPending && <Loading what="deliveries" quiet />}
      <FetchFailed of={list}>Failed to load deliveries</FetchFailed>
      {list.data?.length === 0 && <Empty>{emptyWords[status]}</Empty>}
      {shown.length > 0 && (
        <table className={`${tableKit.table} ${styles.deliveries}`}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column || <span className="visually-hidden">Send again</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <Delivery
                key={one.id}
                delivery={one}
                now={now}
                busy={again.isPending && again.variables === one.id}
                onAgain={() => send(one.id ?? '')}
              />
            ))}
          </tbody>
        </table>
      )}
      {more}
      {replaying && <ReplayDialog webhookId={webhookId} onClose={() => setReplaying(false)} />}
    </Card>
  );
}

interface DeliveryProps {
  delivery: WebhookDeliveryJson;
  now: Date;
  busy: boolean;
  onAgain: () => void;
}

function Delivery({ delivery, now, busy, onAgain }: DeliveryProps) {
  const { event_type: type, status, created_at, next_try_at, attempt_count: tries = 0 } = delivery;
  const { word, tone } = outcomeOf(delivery);
  const at = new Date(created_at ?? 0);
  const verb = status === 'pending' ? 'Try now' : 'Send again';
  return (
    <tr>
      <td className="mono">{type}</td>
      <td>
        <Badge tone={tone}>{word}</Badge>
      </td>
      <td className={`text-2 ${styles.went}`}>
        {answerOf(delivery)}
        {tries > 1 && `, ${tries} tries`}
        {status === 'pending' &&
          tries > 0 &&
          next_try_at &&
          `, next try ${soonOr(new Date(next_try_at), now)}`}
      </td>
      <td className={styles.when}>
        <time dateTime={at.toISOString()} title={fullTime(at)}>
          {relativeTime(at, now)}
        </time>
      </td>
      <td>
        {!(status === 'pending' && tries === 0) && (
          <Button size="sm" disabled={busy} onClick={onAgain} aria-label={`${verb}: ${type}`}>
            {verb}
          </Button>
        )}
      </td>
    </tr>
  );
}

// When it is tried next: seconds are not worth counting.
function soonOr(at: Date, now: Date): string {
  return at.getTime() - now.getTime() < 45_000 ? 'in a moment' : relativeTime(at, now);
}

// What the receiver answered last, in its number and in words.
function answerOf({ response_status: code, detail, status }: WebhookDeliveryJson): string {
  if (code && detail && !detail.includes(String(code))) return `${code}, ${detail}`;
  return detail || (code ? String(code) : status === 'pending' ? 'Not tried yet' : 'No answer');
}
