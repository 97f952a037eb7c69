import { Suspense, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { fetchedDialog } from '~/components/fetched-dialog';
import { useDemo } from '~/features/auth/components/use-demo';
import { Features } from '~/features/landing/components/features';
import { FinalCall } from '~/features/landing/components/final-call';
import { Footer } from '~/features/landing/components/footer';
import { Hero } from '~/features/landing/components/hero';
import { IntegrationsGrid } from '~/features/landing/components/integrations-grid';
import { Metrics } from '~/features/landing/components/metrics';
import { Coming } from '~/features/landing/components/notice';
import { Pricing } from '~/features/landing/components/pricing';
import { Problems } from '~/features/landing/components/problems';
import { Testimonials } from '~/features/landing/components/testimonials';
import { TopBar } from '~/features/landing/components/top-bar';
import { Wearable } from '~/features/landing/components/wearable';
import * as styles from '~/features/landing/landing.module.css';
import { doAgain } from '~/features/landing/wish';
import { useEarlyClick } from '~/lib/early-click';
import { useHashScroll } from '~/lib/hash-scroll';
import { paths } from '~/lib/paths';
import { currentSession, subscribeSession } from '~/lib/session';
import { signInRequest } from '~/lib/sign-in-request';

export function meta() {
  return [
    { title: 'Nightbell - the bell that wakes the right person' },
    {
      name: 'description',
      content:
        'Incident response and on-call for engineering teams. A thousand alerts become one incident, and one call to the person who can fix it.',
    },
  ];
}

// Nobody needs these to read the page, so they are loaded when they are opened.
const RegisterDialog = fetchedDialog(() =>
  import('~/features/auth/components/register-dialog').then((file) => file.RegisterDialog),
);
const LoginDialog = fetchedDialog(() =>
  import('~/features/auth/components/login-dialog').then((file) => file.LoginDialog),
);
const ContactDialog = fetchedDialog(() =>
  import('~/features/landing/components/contact-dialog').then((file) => file.ContactDialog),
);

const dialogs = ['register', 'starter', 'professional', 'login', 'contact'] as const;
type Open = (typeof dialogs)[number] | null;

/** The public front door. Whoever was sent here to sign in finds the dialog open, and returns to where they were, as soon as this or another tab has signed in. */
export default function Landing() {
  const request = signInRequest(useLocation().state);
  const from = request?.from;
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const session = useSyncExternalStore(subscribeSession, currentSession, () => null);
  const close = useCallback(() => setOpen(null), []);
  // In place of this page: whoever goes back from there is not sent forth again.
  const enter = useCallback(
    () => navigate(from ?? paths.dashboard, { replace: from !== undefined }),
    [navigate, from],
  );
  const [registered, setRegistered] = useState<string>();
  const plan = open === 'starter' || open === 'professional' ? open : undefined;
  const welcome = useCallback((email: string) => {
    setRegistered(email);
    setOpen('login');
  }, []);
  useHashScroll();
  const demo = useDemo();
  useEarlyClick((wish) => {
    if (wish === 'demo') demo();
    else if (wish === 'login' && currentSession()) enter();
    else if (!doAgain(wish)) setOpen(dialogs.find((dialog) => dialog === wish) ?? null);
  });
  useEffect(() => {
    if (from && session) enter();
    else if (from) setOpen('login');
  }, [from, session, enter]);
  return (
    <div className={styles.landing}>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <TopBar signedIn={session !== null && open !== 'login'} onLogin={() => setOpen('login')} />
      <main id="content">
        <Hero onRegister={() => setOpen('register')} />
        <Problems />
        <Features />
        <Wearable />
        <IntegrationsGrid />
        <Metrics />
        <Testimonials />
        <Pricing onRegister={setOpen} onContact={() => setOpen('contact')} />
        <FinalCall onRegister={() => setOpen('register')} onDemo={demo} />
      </main>
      <Footer />
      <Suspense fallback={<Coming />}>
        {(open === 'register' || plan) && (
          <RegisterDialog plan={plan} onRegistered={welcome} onClose={close} />
        )}
        {open === 'login' && (
          <LoginDialog reason={request?.reason} registered={registered} onSignedIn={enter} onClose={close} />
        )}
        {open === 'contact' && <ContactDialog onClose={close} />}
      </Suspense>
    </div>
  );
}
