import { paths } from '~/lib/paths';
import { followHash } from '~/lib/section';
import { currentSession, subscribeSession } from '~/lib/session';
import { chooseTheme, currentTheme, subscribeTheme, type ThemeChoice } from '~/lib/theme';
import { clock } from '~/lib/time/counter';
import { sampleAge, sampleLeft } from './model/sample-age';

// What a public page does until React is there, which is fetched when somebody is about to press what needs it.
// Of what React will find it changes only attributes, and two texts that React does not compare.

/** React Router's own script, which the build has put to sleep (build-steps/front.ts). */
const asleep = document.querySelector<HTMLScriptElement>('script[type="asleep"]');
const needsReact = '[data-early], [data-early-sent]';
const root = document.documentElement;

if (asleep) stand(asleep);

function stand(asleep: HTMLScriptElement): void {
  let called = false;
  let lost = false;
  // Whether somebody waits for it; otherwise nothing is said.
  let asked = false;
  let slow = 0;
  const notice = document.querySelector('[data-notice] > p');
  const say = (words: string) => {
    if (notice) notice.textContent = words;
  };

  const wake = () => {
    if (called) return;
    called = true;
    say('');
    for (const href of asleep.dataset.preload?.split(' ') ?? []) {
      const link = document.createElement('link');
      document.head.append(Object.assign(link, { rel: 'modulepreload', href }));
    }
    // The same text, because the page's policy knows it by its hash.
    const script = document.createElement('script');
    script.onerror = failed;
    document.head.append(Object.assign(script, { type: 'module', textContent: asleep.textContent }));
  };
  // After a failure only a press tries again: who touches a button in scrolling is told nothing twice.
  const reach = () => lost || wake();
  const ask = () => {
    asked = true;
    clearTimeout(slow);
    slow = window.setTimeout(() => called && !taken() && say('Still loading what that needs.'), 5000);
    wake();
  };
  const failed = () => {
    if (!called || taken()) return; // somebody else's failure
    called = false;
    lost = true;
    // What was pressed is pressed again, or not at all.
    window.earlyClick = window.earlySent = undefined;
    for (const pressed of document.querySelectorAll('[aria-busy]')) pressed.removeAttribute('aria-busy');
    if (asked) say('What that needs could not be loaded. Check the network, then reload this page.');
    asked = false;
  };
  addEventListener('unhandledrejection', failed);

  // 1. Whoever reaches for a button gets React, whoever presses it sees that it was heard (lib/early-click.ts).
  for (const type of ['pointerover', 'touchstart', 'focusin'])
    addEventListener(type, (event) => marked(event, needsReact) && reach(), { passive: true });
  for (const type of ['click', 'submit'])
    addEventListener(type, (event) => {
      const pressed = marked(event, type === 'click' ? '[data-early]' : '[data-early-sent]');
      if (!pressed || taken()) return;
      if (pressed.dataset.early === 'login' && currentSession()) {
        // React, which may come first, is not to ask for a password.
        window.earlyClick = undefined;
        return location.assign(paths.dashboard);
      }
      pressed.setAttribute('aria-busy', 'true');
      ask();
    });
  // A page is opened with a session, or by one that needs one; a logo that failed is replaced.
  if (window.earlyClick || window.earlySent || history.state?.usr) ask();
  else if (currentSession()) wake();
  subscribeSession(() => currentSession() && reach());
  addEventListener('error', ({ target }) => target instanceof HTMLImageElement && reach(), true);
  for (const image of document.images) if (image.complete && image.naturalWidth === 0) wake();

  // 2. The address, the menu of a phone and the theme need none. While data-front stands there, the browser
  // scrolls smoothly to the sections, and moves the focus with it (landing.module.css).
  root.dataset.front = '';
  followHash(location.hash);
  let held: Element | undefined;
  addEventListener('click', (event) => {
    const link = marked(event, 'a[href]') as HTMLAnchorElement | null;
    const choice = marked(event, '[data-choice]')?.dataset.choice;
    if (taken()) return;
    if (marked(event, '[data-notice]')) say('');
    // Once only, as what a browser believes about its network may be wrong; another tab is no loss of the page.
    const tab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link?.target;
    const leaves = link?.origin === location.origin && link.pathname !== location.pathname;
    if (link && leaves && !tab && link !== held && !navigator.onLine) {
      held = link;
      event.preventDefault();
      say('There is no network. Try again when there is.');
    }
    if (link?.closest('[popover]')) link.closest<HTMLElement>('[popover]')?.hidePopover();
    if (choice) chooseTheme(choice as ThemeChoice);
  });
  const showTheme = () => {
    if (taken()) return;
    for (const button of document.querySelectorAll<HTMLElement>('[data-choice]'))
      button.setAttribute('aria-pressed', String(button.dataset.choice === currentTheme()));
  };
  showTheme();
  subscribeTheme(showTheme);

  // 3. The sample rings.
  const sample = document.getElementById('demo');
  const [age, left] = ['age', 'left'].map((part) => sample?.querySelector(`[data-sample="${part}"]`));
  if (!sample || !age || !left || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const rung = performance.now();
  sample.dataset.rung = String(rung);
  const timer = setInterval(() => {
    if (taken()) return clearInterval(timer);
    const seconds = sampleAge(rung, performance.now());
    age.textContent = clock(seconds);
    left.textContent = `in ${clock(sampleLeft(seconds))}`;
  }, 1000);
}

/** Whether React has taken the page over. */
function taken(): boolean {
  return window.earlyClick === null;
}

function marked({ target }: Event, selector: string): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(selector) : null;
}
