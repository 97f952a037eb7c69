import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { AppFrame } from '~/components/layout/app-frame';
import { Sidebar } from '~/components/layout/sidebar';
import { logout } from '~/features/auth/api/logout';
import { incidentCounts } from '~/features/incidents/api/count-incidents';
import { useFollowIncidents } from '~/features/incidents/api/follow-incidents';
import { mailPlace } from '~/features/installation/api/installation';
import { Notices } from '~/features/installation/components/notices';
import { expiredMessage } from '~/lib/api';
import { useHues } from '~/lib/members';
import { paths } from '~/lib/paths';
import { createQueryClient } from '~/lib/query-client';
import { currentSession, lastSessionEnd, type Session, subscribeSession } from '~/lib/session';
import type { SignInRequest } from '~/lib/sign-in-request';
import { toast } from '~/lib/toast';
import '~/styles/frame.css';

/** Everything that needs a session. Without one it leads to the landing page, saying why. */
export default function SignedIn() {
  const session = useSyncExternalStore(subscribeSession, currentSession, () => null);
  if (!session) return <ToLanding />;
  // Somebody else signing in, perhaps in another tab, must not find the last one's data.
  return <Workspace key={`${session.user.org_id}/${session.user.id}`} session={session} />;
}

function Workspace({ session }: { session: Session }) {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <Pages session={session} />
    </QueryClientProvider>
  );
}

function Pages({ session }: { session: Session }) {
  useFollowIncidents();
  const counts = useQuery(incidentCounts);
  const unacknowledged = counts.data?.triggered ?? (counts.isError ? null : undefined);
  const mail = useQuery(mailPlace).data;
  const hueOf = useHues();
  const { user } = session;
  return (
    <AppFrame
      unacknowledged={unacknowledged}
      sidebar={
        <Sidebar
          user={user}
          hue={hueOf(user.id)}
          unacknowledged={unacknowledged}
          showInbox={user.role === 'owner' && mail !== 'server'}
          onLogout={logout}
        />
      }
    >
      <Notices />
      <Outlet />
    </AppFrame>
  );
}

// Leaving by Logout needs no word; an expired session is named, and so is a link that needs a sign-in.
function ToLanding() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => {
    const end = lastSessionEnd();
    const request: SignInRequest = { from: `${pathname}${search}`, reason: 'Log in to see this page.' };
    if (end === 'expired') toast({ kind: 'failure', title: expiredMessage });
    navigate(paths.home, { replace: true, state: end === null ? request : null });
  }, [navigate, pathname, search]);
  return null;
}
