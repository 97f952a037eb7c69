import { expect, it } from 'vitest';
import { incidentDetail, incidentList } from '~/data/incidents';
import { slackConfig } from '~/data/slack';
import { createQueryClient } from '~/lib/query-client';

it('lists are fresh for 60 s, an incident for 5 minutes', () => {
  expect(incidentList().staleTime).toBe(60_000);
  expect(incidentDetail('i').staleTime).toBe(5 * 60_000);
});

it('nothing is asked again when the window is focused', () =>
  expect(createQueryClient().getDefaultOptions().queries?.refetchOnWindowFocus).toBe(false));

it('the configuration of Slack is never asked for twice', () => expect(slackConfig.retry).toBe(false));
