import { lazy, Suspense, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { pages } from '~/components/layout/pages';
import { Boundary } from '~/components/ui/boundary';
import { useKeys } from '~/lib/keys';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { chooseTheme, currentTheme } from '~/lib/theme';
import type { Entry } from '../model/entries';

// Nobody who only reads a page loads them.
const Palette = lazy(() => import('./palette').then((module) => ({ default: module.Palette })));
const KeysDialog = lazy(() => import('./keys-dialog').then((module) => ({ default: module.KeysDialog })));

const themes = ['dark', 'light', 'system'] as const;

/** Which of the two is open, and the ways to open and close them. */
export function useFinder() {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  return {
    open,
    find: () => setOpen('palette'),
    listKeys: () => setOpen('keys'),
    close: () => setOpen(null),
  };
}

interface FinderProps {
  shown: ReturnType<typeof useFinder>;
  /** Absent where this person may not create an incident. */
  onCreate: (() => void) | undefined;
}

/** Ctrl+K, the list of keys, and the keys that work on every page. */
export function Finder({ shown, onCreate }: FinderProps) {
  const navigate = useNavigate();
  const section = 'Everywhere';
  useKeys([
    ...pages.flatMap(({ word, to, keys }) =>
      to && keys ? [{ keys, word, section, run: () => navigate(to) } as const] : [],
    ),
    { keys: 't', word: 'Next theme', section, run: nextTheme },
    { keys: '?', word: 'This list', section, run: shown.listKeys },
  ]);
  useFindKey(shown.find);
  const actions: Entry[] = [
    ...pages.flatMap(({ word, icon, to, keys }): Entry[] =>
      to ? [{ id: `page-${to}`, group: 'Pages', word, icon, to, keys }] : [],
    ),
    ...(onCreate ? [action('Create incident', 'plus', { run: onCreate, also: 'new declare' })] : []),
    action('Check who would be paged', 'ladder', { to: paths.explain, also: 'on-call explain' }),
    action('My contact methods', 'phone', { to: paths.contacts, also: 'how I am reached sms mail' }),
    action('Escalation policies', 'up', { to: paths.policies }),
    action('Teams', 'users', { to: paths.teams }),
    action('Maintenance windows', 'wrench', { to: paths.maintenance, also: 'silence mute downtime' }),
    action('Add an integration', 'integrations', {
      to: `${paths.integrations}?view=monitoring`,
      also: 'prometheus grafana sdk alertmanager heartbeat',
    }),
    ...(mayAct('admin')
      ? [action('Webhooks', 'webhook', { to: paths.webhooks, also: 'outbound subscriptions deliveries' })]
      : []),
    action('Documentation', 'question', { run: () => location.assign(paths.docs), also: 'help guide sdk' }),
    action('List of keys', 'question', { run: shown.listKeys, keys: '?', also: 'keyboard shortcuts help' }),
  ];
  if (!shown.open) return null;
  return (
    <Boundary what="The list of what can be found">
      <Suspense>
        {shown.open === 'palette' && <Palette actions={actions} onClose={shown.close} />}
        {shown.open === 'keys' && <KeysDialog onClose={shown.close} />}
      </Suspense>
    </Boundary>
  );
}

function action(word: string, icon: Entry['icon'], rest: Partial<Entry>): Entry {
  return { id: `action-${word}`, group: 'Actions', word, icon, ...rest };
}

function nextTheme(): void {
  const at = themes.indexOf(currentTheme());
  chooseTheme(themes[(at + 1) % themes.length] ?? 'system');
}

// Heard while somebody types, too: it is no single key. Not over another dialog, which holds the focus.
function useFindKey(find: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (event.shiftKey || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      find();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
