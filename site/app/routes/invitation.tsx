import { useLocation, useNavigate } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { Banner } from '~/components/ui/dialog';
import { AcceptInvitation } from '~/features/auth/components/accept-invitation';
import { paths } from '~/lib/paths';
import { startSession } from '~/lib/session-change';
import * as styles from './invitation.module.css';
import * as page from './not-found.module.css';

export function meta() {
  return [{ title: 'Invitation - Nightbell' }, { name: 'robots', content: 'noindex' }];
}

/** Where an invitation's link leads. The token stands after #, which browsers send to no server. */
export default function Invitation() {
  const token = useLocation().hash.slice(1);
  const navigate = useNavigate();
  return (
    <main className={`${page.notFound} ${styles.invitation}`}>
      <Brand to={paths.home} />
      <div>
        {token === '' ? (
          <>
            <h1>This link leads nowhere</h1>
            <Banner tone="failed">The end of the link is missing. Open it again from the mail.</Banner>
          </>
        ) : (
          <AcceptInvitation
            key={token}
            token={token}
            onJoined={(session) => {
              startSession(session);
              navigate(paths.dashboard, { replace: true });
            }}
          />
        )}
      </div>
    </main>
  );
}
