import type { ListServicesResponseJson, ServiceJson } from '@nightbell/proto';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderRoute, signIn } from '../../testing/render-route';
import { reply } from '../../testing/reply';
import { server } from '../../testing/server';
import Services from './services';

const whole = { repo_url: 'https://example.org/repo' } satisfies ServiceJson;

beforeEach(() => {
  signIn();
  server.use(
    http.get('*/v1/services', () =>
      reply<ListServicesResponseJson>({
        services: [
          { ...whole, id: 's1', name: 'Search', owner: { name: 'Mara' }, health: 'healthy' },
          {
            ...whole,
            id: 's2',
            name: 'Checkout',
            owner: { name: 'Jonas' },
            health: 'down',
            open_incident_count: 2,
          },
          { ...whole, id: 's3', name: 'Ledger', health: 'healthy', repo_url: '' },
        ],
      }),
    ),
  );
});

// The names in the rows, from above.
async function names(): Promise<(string | null)[]> {
  const [, ...rows] = await screen.findAllByRole('row');
  return rows.map((row) => within(row).getByRole('link').textContent);
}

const choose = async (name: string) => userEvent.click(await screen.findByRole('tab', { name }));

describe('the tabs of the services', () => {
  it('All Services shows all, the worst first', async () => {
    renderRoute('/services', Services);
    expect(await names()).toEqual(['Checkout', 'Search', 'Ledger']);
  });

  it('Configurations shows those whose setup lacks something, and what', async () => {
    renderRoute('/services', Services);
    await choose('Configurations');
    expect(await names()).toEqual(['Ledger']);
    expect(screen.getByRole('row', { name: /Ledger/ })).toHaveTextContent('Owner, Repo');
    expect(screen.getByRole('columnheader', { name: 'Missing' })).toBeVisible();
  });

  it('Incidents shows those with open incidents; All Services brings the others back', async () => {
    renderRoute('/services', Services);
    await choose('Incidents');
    expect(await names()).toEqual(['Checkout']);
    await choose('All Services');
    expect(await names()).toHaveLength(3);
  });

  it('says so when no service has open incidents', async () => {
    server.use(
      http.get('*/v1/services', () =>
        reply<ListServicesResponseJson>({
          services: [{ ...whole, id: 's1', name: 'Search', owner: { name: 'Mara' } }],
        }),
      ),
    );
    renderRoute('/services', Services);
    await choose('Incidents');
    expect(await screen.findByText('No service has open incidents.')).toBeVisible();
  });
});
