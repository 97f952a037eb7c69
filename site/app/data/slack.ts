import type { GetSlackConfigResponseJson } from '@nightbell/proto';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, call } from '~/lib/api';
import { slackKeys } from './keys';

/** Whether Slack is connected, and to which channel. Never repeated by itself. */
export const slackConfig = queryOptions({
  queryKey: slackKeys.all,
  retry: false,
  queryFn: async ({ signal }): Promise<{ active: boolean; channel: string }> => {
    try {
      const answer = await call<GetSlackConfigResponseJson>({
        method: 'GET',
        path: '/v1/integrations/slack/config',
        action: 'fetch Slack configuration',
        messages: { 404: 'No Slack integration configured' },
        signal,
      });
      return { active: answer.integration?.is_active ?? false, channel: answer.integration?.channel ?? '' };
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 404) return { active: false, channel: '' };
      throw cause;
    }
  },
});
