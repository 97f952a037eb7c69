import type { WebhookDeliveryJson } from '@nightbell/proto';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { DataTable } from '~/components/ui/data-table';
import { Segmented } from '~/components/ui/segmented';
import { FetchFailed, Loading } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { Time } from '~/components/ui/time';
import { deliveryList, useRedeliver } from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { useNow } from '~/lib/time/clock';
import { dateOf } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
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

/** What a webhook was told, what its receiver answered, and a way to send it again. */
export function Deliveries({ webhookId, enabled }: { webhookId: string; enabled: boolean }) {
  const [status, setStatus] = useState('');
  const [replaying, setReplaying] = useState(false);
  const list = useInfiniteQuery(deliveryList(webhookId, status));
  const again = useRedeliver(webhookId);
  const now = useNow(10_000);
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
      {list.data && (
        <DataTable
          label="Deliveries"
          className={styles.deliveries}
          rows={list.data}
          keyOf={({ id }) => id}
          empty={emptyWords[status]}
          source={list}
          first={20}
          columns={[
            { head: 'Event', className: 'mono', cell: ({ event_type }) => event_type },
            { head: 'Status', cell: Outcome },
            { head: 'Answer', className: `text-2 ${styles.went}`, cell: (one) => answerWords(one, now) },
            {
              head: 'When',
              className: styles.when,
              cell: ({ created_at }) => <When at={dateOf(created_at)} now={now} />,
            },
            {
              head: 'Send again',
              quiet: true,
              className: tableKit.actions,
              cell: (one) => (
                <Again
                  delivery={one}
                  busy={again.isPending && again.variables === one.id}
                  onAgain={() => send(one.id ?? '')}
                />
              ),
            },
          ]}
        />
      )}
      {replaying && <ReplayDialog webhookId={webhookId} onClose={() => setReplaying(false)} />}
    </Card>
  );
}

function Outcome(delivery: WebhookDeliveryJson) {
  const { word, tone } = outcomeOf(delivery);
  return <Badge tone={tone}>{word}</Badge>;
}

function answerWords(delivery: WebhookDeliveryJson, now: Date): string {
  const { status, next_try_at: next, attempt_count: tries = 0 } = delivery;
  const said = [answerOf(delivery)];
  if (tries > 1) said.push(`${tries} tries`);
  if (status === 'pending' && tries > 0 && next) said.push(`next try ${soonOr(dateOf(next), now)}`);
  return said.join(', ');
}

function When({ at, now }: { at: Date; now: Date }) {
  return <Time at={at}>{relativeTime(at, now)}</Time>;
}

interface AgainProps {
  delivery: WebhookDeliveryJson;
  busy: boolean;
  onAgain: () => void;
}

function Again({ delivery: { status, attempt_count = 0, event_type }, busy, onAgain }: AgainProps) {
  if (status === 'pending' && attempt_count === 0) return null;
  const verb = status === 'pending' ? 'Try now' : 'Send again';
  return (
    <Button size="sm" disabled={busy} onClick={onAgain} aria-label={`${verb}: ${event_type}`}>
      {verb}
    </Button>
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
