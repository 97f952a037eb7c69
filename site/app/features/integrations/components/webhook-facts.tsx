import type { WebhookSubscriptionJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Banner } from '~/components/ui/dialog';
import { serviceList } from '~/data/services';
import { teamList } from '~/data/teams';
import { useWebhookUrl } from '~/data/webhooks';
import { reasonOf } from '~/lib/api';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import { capitalised } from '~/lib/words';
import { eventGroups } from '../model/webhook';
import { RotateSecretDialog } from './webhook-dialogs';
import * as styles from './webhooks.module.css';

/** Where a webhook calls, what it is told of, and how that is signed. */
export function WebhookFacts({ webhook }: { webhook: WebhookSubscriptionJson }) {
  const address = useWebhookUrl(webhook.id ?? '');
  const [rotating, setRotating] = useState(false);
  const { event_types: events = [], filter, old_secret_expires_at: both } = webhook;
  const services = useQuery(serviceList).data;
  const teams = useQuery(teamList).data;
  const only = [
    namesOf(services, filter?.service_ids),
    namesOf(teams, filter?.team_ids),
    (filter?.severities ?? []).map(capitalised).join(' or '),
  ]
    .filter(Boolean)
    .join('; ');
  return (
    <Card title="Configuration">
      {address.error && <Banner tone="failed">{reasonOf(address.error)}</Banner>}
      <dl className={styles.webhookFacts}>
        <dt>Address</dt>
        <dd>
          <span className="mono">{address.data ?? webhook.url}</span>
          {!address.data && (
            <div>
              <Button size="sm" disabled={address.isPending} onClick={() => address.mutate()}>
                Show the whole address
              </Button>
            </div>
          )}
        </dd>
        {toldOf(events).map(([name, words]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </Fragment>
        ))}
        {only && (
          <>
            <dt>Only for</dt>
            <dd>{only}</dd>
          </>
        )}
        <dt>Secret</dt>
        <dd>
          {both
            ? `Signed with both secrets until ${fullTime(dateOf(both))}.`
            : 'Shown once, when it was made.'}
          <div>
            <Button size="sm" onClick={() => setRotating(true)}>
              Rotate secret
            </Button>
          </div>
        </dd>
      </dl>
      <p className={styles.webhookFoot}>
        Anything but a 2xx within 10 seconds is tried again for 48 hours. A 410, or three days without a
        success, disables the webhook.
      </p>
      {rotating && <RotateSecretDialog webhook={webhook} onClose={() => setRotating(false)} />}
    </Card>
  );
}

// What it is told of by group, and by its type what is not known here yet.
function toldOf(types: readonly string[]): (readonly [name: string, words: string])[] {
  const groups = eventGroups.map(({ name, events }) => {
    const told = events.filter(([type]) => types.includes(type));
    return [name, told.map(([, words]) => words).join(', ')] as const;
  });
  const known = eventGroups.flatMap(({ events }) => events.map(([type]) => type));
  const others = types.filter((type) => !known.includes(type)).join(', ');
  return [...groups, ['Newer', others] as const].filter(([, words]) => words !== '');
}

// The names of those that are known; how many there are until then.
function namesOf(
  all: readonly { id?: string; name?: string }[] | undefined,
  ids: readonly string[] = [],
): string {
  if (!all) return '';
  return ids.map((id) => all.find((one) => one.id === id)?.name ?? 'one that is gone').join(', ');
}
