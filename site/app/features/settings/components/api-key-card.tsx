import type { ApiKeyJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { Icon } from '~/components/ui/icon';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { apiKeyList, useRevokeApiKey } from '~/data/api-keys';
import { dateOf } from '~/lib/time/instant';
import { fullTime, relativeTime } from '~/lib/time/words';
import { capitalised } from '~/lib/words';
import { ApiKeyDialog } from './api-key-dialog';
import * as styles from './settings.module.css';

/** The keys of the organization, with what each may do and when it was used last. */
export function ApiKeyCard() {
  const keys = useQuery(apiKeyList);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKeyJson | null>(null);
  const create = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Card title="API keys" actions={create}>
      {keys.isPending && <Loading what="API keys" />}
      <FetchFailed of={keys}>Failed to load API keys</FetchFailed>
      {keys.data?.length === 0 && (
        <Empty>No key yet. A key acts for the organization, not for a person.</Empty>
      )}
      <ul className={styles.rows}>
        {keys.data?.map((key) => (
          <ApiKeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
        ))}
      </ul>
      <p className={styles.foot}>
        A key stays when its maker leaves. Service keys for alerts are on each service's page.
      </p>
      {creating && <ApiKeyDialog onClose={() => setCreating(false)} />}
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Card>
  );
}

function ApiKeyRow({ apiKey, onRevoke }: { apiKey: ApiKeyJson; onRevoke: () => void }) {
  const { name, prefix, role = '', scopes = [], last_used_at, expires_at, revoked_at } = apiKey;
  const over = revoked_at || (expires_at && dateOf(expires_at) < new Date());
  const used = last_used_at ? `used ${relativeTime(dateOf(last_used_at), new Date())}` : 'never used';
  return (
    <li>
      <Icon name="shield" />
      <div className="grow">
        <p className={over ? 'text-3' : 'strong'}>
          {name} <span className="mono text-3 size-12">{prefix}…</span>
        </p>
        <p>
          {capitalised(role)}: {scopes.join(', ')}; {used}
          {expires_at && !over && `, expires ${fullTime(dateOf(expires_at))}`}
        </p>
      </div>
      {over ? (
        <Badge>{revoked_at ? 'Revoked' : 'Expired'}</Badge>
      ) : (
        <Button size="sm" look="danger" onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      )}
    </li>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKeyJson; onClose: () => void }) {
  const revoke = useRevokeApiKey();
  return (
    <ConfirmDialog
      title="Revoke key"
      verb="Revoke key"
      doing="Revoking..."
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(apiKey.id ?? '', { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="text-2">
        <b className="strong">{apiKey.name}</b> stops working within five seconds. Whatever uses it is refused
        from then on.
      </p>
    </ConfirmDialog>
  );
}
