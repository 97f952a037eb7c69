import type { AccountSessionJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { FetchFailed, Loading } from '~/components/ui/states';
import { sessionList, useEndOtherSessions, useEndSession } from '~/data/account';
import { reasonOf } from '~/lib/api';
import { useSettledPress } from '~/lib/settled-press';
import { dateOf } from '~/lib/time/instant';
import { fullTime, relativeTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import { deviceWords } from '../model/device';
import * as styles from './settings.module.css';

const failed = (error: Error) => toast({ kind: 'failure', title: reasonOf(error) });

/** Where the account is signed in, with a way out of each place. */
export function SessionCard() {
  const sessions = useQuery(sessionList);
  const endOthers = useEndOtherSessions();
  const rows = sessions.data?.toSorted(byUse) ?? [];
  const settled = useSettledPress('', rows.map(({ id }) => id).join(' '));
  const others = (sessions.data ?? []).filter(({ current }) => !current);
  const end = () =>
    endOthers.mutate(undefined, {
      onError: failed,
      onSuccess: () => toast({ kind: 'success', title: 'Signed out everywhere else.' }),
    });
  return (
    <Card
      title="Devices"
      actions={
        others.length > 0 && (
          <Button look="danger" disabled={endOthers.isPending} onClick={end}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {sessions.isPending && <Loading what="sessions" />}
      <FetchFailed of={sessions}>Failed to load sessions</FetchFailed>
      <ul className={styles.rows}>
        {rows.map((session) => (
          <SessionRow key={session.id} session={session} settled={settled} />
        ))}
      </ul>
      <p className={styles.foot}>Signing out takes effect within five seconds, on open pages too.</p>
    </Card>
  );
}

// The one that reads comes first, then those that were used last.
function byUse(a: AccountSessionJson, b: AccountSessionJson): number {
  return (
    Number(b.current) - Number(a.current) || String(b.last_used_at).localeCompare(String(a.last_used_at))
  );
}

interface SessionRowProps {
  session: AccountSessionJson;
  settled: ReturnType<typeof useSettledPress>;
}

function SessionRow({ session, settled }: SessionRowProps) {
  const { id = '', user_agent, created_at, last_used_at, current, organization } = session;
  const end = useEndSession();
  const words = deviceWords(user_agent);
  const used = dateOf(last_used_at);
  return (
    <li>
      <Icon name={/Android|iOS/.test(words) ? 'phone' : 'monitor'} />
      <div className="grow" title={user_agent}>
        <p>{words}</p>
        <p>
          {organization?.name}, since {fullTime(dateOf(created_at))}
        </p>
      </div>
      <span className="text-3 size-12" title={fullTime(used)}>
        {current ? 'Now' : relativeTime(used, new Date())}
      </span>
      {current ? (
        <Badge tone="ok">This device</Badge>
      ) : (
        <Button
          size="sm"
          disabled={end.isPending}
          onClick={settled(() => end.mutate(id, { onError: failed }))}
          aria-label={`Sign out ${words}, last used ${relativeTime(used, new Date())}`}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}
