import type { IconName } from '~/components/ui/icon';

/** What a channel is called, and its sign. */
export interface Channel {
  word: string;
  icon: IconName;
}

const channels: Readonly<Record<string, Channel>> = {
  email: { word: 'E-mail', icon: 'mail' },
  webhook: { word: 'Webhook', icon: 'webhook' },
  slack: { word: 'Slack', icon: 'slack' },
  sms: { word: 'SMS', icon: 'sms' },
  voice: { word: 'Call', icon: 'phone' },
  push: { word: 'Push', icon: 'push' },
};

/** A channel, which is also the kind of a contact method. One that is not known is called what it is. */
export function channelOf(kind: string | undefined): Channel {
  return channels[kind ?? ''] ?? { word: kind || 'Message', icon: 'push' };
}
