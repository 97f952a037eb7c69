import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { useAhead } from '~/components/later';
import { AppFrame } from '~/components/layout/app-frame';
import { useAskedFirst } from '~/components/layout/leave-dialog';
import { Sidebar } from '~/components/layout/sidebar';
import { cacheOf } from '~/data/cache';
import { incidentCounts } from '~/data/incidents';
import { mailPlace } from '~/data/installation';
import { useFreshRole } from '~/data/me';
import { useHues } from '~/data/members';
import { useLiveFeed } from '~/data/renewal';
import { logout } from '~/features/auth/api/logout';
import { OrganizationSwitch } from '~/features/auth/components/organization-switch';
import { CreateIncidentDialog } from '~/features/incidents/components/create-incident';
import { Notices } from '~/features/installation/components/notices';
import { Finder, useFinder } from '~/features/palette/components/finder';
import { paths } from '~/lib/paths';
import { mayAct, RoleContext } from '~/lib/role';
import { currentSession, identityOf, lastSessionEnd, type Session, subscribeSession } from '~/lib/session';
import { showAs } from '~/lib/session-change';
import { signInAfter } from '~/lib/session-end';
import { useTabIcon } from '~/lib/tab-icon';
import { dismissToasts } from '~/lib/toast';

/** Everything that needs a session. Without one it leads to the landing page, saying why. */
export default function SignedIn() {
  const session = useSyncExternalStore(subscribeSession, currentSession, () => null);
  if (!session) return <ToLanding />;
  // Somebody else signing in, perhaps in another tab, must not find the last one's data.
  return <Workspace key={identityOf(session)} session={session} />;
}

function Workspace({ session }: { session: Session }) {
  const [client] = useState(() => cacheOf(session));
  const identity = identityOf(session);
  // What this person began and has not sent yet is never sent as the next one.
  useLayoutEffect(() => {
    showAs(identity);
    // What came since the last one left.
    dismissToasts();
    return () => {
      showAs(null);
      // It may offer to do again what this person began.
      dismissToasts();
      client.clear();
    };
  }, [client, identity]);
  return (
    <QueryClientProvider client={client}>
      <Pages session={session} />
    </QueryClientProvider>
  );
}

function Pages({ session }: { session: Session }) {
  useLiveFeed();
  useFreshRole(session);
  const counts = useQuery(incidentCounts);
  const unacknowledged = counts.data?.triggered ?? (counts.isError ? null : undefined);
  useTabIcon(unacknowledged);
  const finder = useFinder();
  const [creating, setCreating] = useState(false);
  useAhead(CreateIncidentDialog);
  const mail = useQuery(mailPlace).data;
  const hueOf = useHues();
  const { leave, question } = useAskedFirst();
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
          onFind={finder.find}
          organizations={(className) => <OrganizationSwitch className={className} leave={leave} />}
          onLogout={() => leave(logout)}
        />
      }
    >
      <Notices />
      <RoleContext value={user.role}>
        <Outlet />
      </RoleContext>
      <Finder shown={finder} onCreate={mayAct('responder') ? () => setCreating(true) : undefined} />
      {question}
      {creating && <CreateIncidentDialog onClose={() => setCreating(false)} />}
    </AppFrame>
  );
}

// Leaving by Logout needs no word; an expired session is named, and so is a link that needs a sign-in.
// Both come back to this page.
function ToLanding() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => {
    const end = lastSessionEnd();
    const request = signInAfter(end, `${pathname}${search}`);
    navigate(paths.home, { replace: true, state: end === 'signed-out' ? null : request });
  }, [navigate, pathname, search]);
  return null;
}
