import type {
  GetEscalationPolicyResponseJson,
  GetWebhookSubscriptionKeyResponseJson,
  GetWebhookSubscriptionResponseJson,
  ListWebhookDeliveriesResponseJson,
} from '@nightbell/proto';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import { beforeEach, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import IntegrationWebhook from './integration-webhook';
import OnCallPolicy from './on-call-policy';

// The addresses of two things of a kind have one component, which stays when one follows the other.

beforeEach(() => {
  signIn();
  const none = ['services', 'teams', 'users', 'schedules', 'on-call', 'contact-methods'];
  server.use(
    ...none.map((name) => http.get(`*/v1/${name}`, () => reply<object>({}))),
    http.get('*/v1/webhook-subscriptions/:id', ({ params: { id } }) =>
      reply<GetWebhookSubscriptionResponseJson>({
        webhook_subscription: { id: `${id}`, name: `Hook ${id}`, url: `https://${id}.example/` },
      }),
    ),
    http.get('*/v1/webhook-subscriptions/:id/key', ({ params: { id } }) =>
      reply<GetWebhookSubscriptionKeyResponseJson>({ url: `https://${id}.example/secret` }),
    ),
    http.get('*/v1/webhook-subscriptions/:id/deliveries', () => reply<ListWebhookDeliveriesResponseJson>({})),
    http.get('*/v1/escalation-policies/:id', ({ params: { id } }) =>
      reply<GetEscalationPolicyResponseJson>({
        escalation_policy: { id: `${id}`, name: `Policy ${id}`, steps: [], timezone: 'UTC' },
      }),
    ),
  );
});

function Webhooks(props: ComponentProps<typeof IntegrationWebhook>) {
  return (
    <>
      <Link to="/integrations/webhooks/one">One</Link>
      <Link to="/integrations/webhooks/two">Two</Link>
      <IntegrationWebhook {...props} />
    </>
  );
}

function Policies(props: ComponentProps<typeof OnCallPolicy>) {
  return (
    <>
      <Link to="/oncall/policies/one">One</Link>
      <Link to="/oncall/policies/two">Two</Link>
      <OnCallPolicy {...props} />
    </>
  );
}

const go = async (word: string) => userEvent.click(await screen.findByRole('link', { name: word }));
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

it('shows the whole address of a webhook on no page of another', async () => {
  renderRoute('/integrations/webhooks/:id', Webhooks, '/integrations/webhooks/one');
  expect(await screen.findByText('https://one.example/')).toBeInTheDocument();
  await go('Two');
  await press('Show the whole address');
  expect(await screen.findByText('https://two.example/secret')).toBeInTheDocument();
  await go('One');
  expect(await screen.findByText('https://one.example/')).toBeInTheDocument();
  expect(screen.queryByText('https://two.example/secret')).toBeNull();
});

it('asks on no page of a policy whether to delete another', async () => {
  renderRoute('/oncall/policies/:id', Policies, '/oncall/policies/one');
  expect(await screen.findByRole('heading', { name: 'Policy one' })).toBeInTheDocument();
  await go('Two');
  await press('Delete');
  expect(await screen.findByRole('dialog')).toBeInTheDocument();
  await go('One');
  expect(await screen.findByRole('heading', { name: 'Policy one' })).toBeInTheDocument();
  expect(screen.queryByRole('dialog')).toBeNull();
});
