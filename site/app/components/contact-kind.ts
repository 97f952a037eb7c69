import type { IconName } from '~/components/ui/icon';

const kinds: Readonly<Record<string, { word: string; icon: IconName }>> = {
  email: { word: 'E-mail', icon: 'mail' },
  webhook: { word: 'Webhook', icon: 'webhook' },
  slack: { word: 'Slack', icon: 'slack' },
  sms: { word: 'SMS', icon: 'sms' },
  voice: { word: 'Call', icon: 'phone' },
  push: { word: 'Push', icon: 'push' },
};

/** What a kind of contact method is called, and its sign. */
export function kindWords(kind: string | undefined): { word: string; icon: IconName } {
  return kinds[kind ?? ''] ?? { word: kind ?? 'Message', icon: 'push' };
}
