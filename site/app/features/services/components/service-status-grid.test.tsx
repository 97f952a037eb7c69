import type { ListServicesResponseJson, ServiceJson } from '@nightbell/proto';
import { cleanup, screen } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { ServiceStatusGrid } from './service-status-grid';

const services = Array.from(
  { length: 9 },
  (_, n) => ({ id: `s${n}`, name: `Service ${n}` }) satisfies ServiceJson,
);

function bones(): number {
  return document.querySelectorAll('[aria-hidden="true"] > div > div').length;
}

it('keeps room for as many services as there were the last time', async () => {
  signIn();
  server.use(http.get('*/v1/services', () => reply<ListServicesResponseJson>({ services })));
  renderRoute('/dashboard', ServiceStatusGrid);
  expect(bones()).toBe(6);
  expect(await screen.findAllByRole('listitem')).toHaveLength(9);
  cleanup();
  server.use(http.get('*/v1/services', () => delay('infinite')));
  renderRoute('/dashboard', ServiceStatusGrid);
  expect(bones()).toBe(9);
});
