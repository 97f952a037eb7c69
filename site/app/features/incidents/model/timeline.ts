import type { TimelineEntryJson } from '@nightbell/proto';
import type { IconName } from '~/components/ui/icon';

/** How one entry of the timeline reads. */
export interface Line {
  icon: IconName;
  /** What happened, in bold; empty for what happens all the time. */
  lead: string;
  /** By whom or from what, after the lead. */
  rest: string;
  /** What somebody wrote; empty when nobody did. */
  said: string;
}

const icons: Record<string, IconName> = {
  declared: 'incidents',
  acknowledged: 'acknowledged',
  resolved: 'check',
  assigned: 'assign',
  severity_change: 'up',
  comment: 'chat',
  merged: 'link',
  linked: 'link',
  unlinked: 'link',
  escalated: 'ladder',
  paged: 'push',
  page_failed: 'alert',
  alert_linked: 'link',
  alert_resolved: 'check',
  nobody_on_call: 'alert',
  exhausted: 'alert',
  last_resort: 'alert',
  step_skipped: 'skip',
  pages_nobody: 'pause',
  held: 'pause',
  ack_timeout: 'clock',
  heartbeat_missed: 'clock',
  heartbeat_recovered: 'check',
};
// What the product itself sends along with the two buttons; only other words are worth showing.
const ownWords = ['Incident acknowledged', 'Incident resolved'];

/** The history from its end. */
export function newestFirst(entries: readonly TimelineEntryJson[]): TimelineEntryJson[] {
  return entries.toReversed();
}

/** The words for an entry. An unknown kind shows the server's own sentence. */
export function lineOf(entry: TimelineEntryJson): Line {
  const icon = icons[entry.kind ?? ''] ?? 'chevron-right';
  const message = (entry.message ?? '').replace(/\.$/, '');
  const by = entry.actor?.name ? ` by ${entry.actor.name}` : '';
  switch (entry.kind) {
    case 'comment':
      return { icon, lead: entry.actor?.name || 'Somebody', rest: ' commented', said: entry.message ?? '' };
    case 'acknowledged':
      if (message.startsWith('Snoozed')) return { icon: 'clock', lead: message, rest: by, said: '' };
      return { icon, lead: 'Acknowledged', rest: by, said: ownWords.includes(message) ? '' : message };
    case 'resolved':
      return entry.actor_kind === 'user' || entry.actor_kind === 'api_key'
        ? { icon, lead: 'Resolved', rest: by, said: ownWords.includes(message) ? '' : message }
        : { icon, lead: 'Resolved', rest: resolvedBecause(message), said: '' };
    case 'declared':
      return {
        icon,
        lead: 'Incident declared',
        rest: message.replace(/^(Incident )?declared/i, ''),
        said: '',
      };
    case 'paged':
    case 'alert_linked':
    case 'alert_resolved':
    case 'step_skipped':
      return { icon, lead: '', rest: message, said: '' };
    default:
      return { icon, lead: message, rest: entry.actor_kind === 'user' ? `,${by}` : '', said: '' };
  }
}

// The server's sentence may begin with the word that stands before it.
function resolvedBecause(message: string): string {
  if (message === '' || ownWords.includes(message)) return ' by itself';
  return message.startsWith('Resolved ') ? message.slice('Resolved'.length) : `. ${message}`;
}
