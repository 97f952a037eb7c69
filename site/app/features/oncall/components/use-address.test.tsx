import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderRoute } from '../../../../testing/render-route';
import { useAddress } from './use-address';

function At() {
  return <p>At {String(useAddress()[0].at)}</p>;
}

it.each([
  ['2026-03-25T02:08:14Z', Date.UTC(2026, 2, 25, 2, 8, 14)],
  ['275760-09-13', null],
  ['nonsense', null],
])('of %s it shows a time that has a picture', async (at, shown) => {
  renderRoute('/oncall', At, `/oncall?at=${at}`);
  expect(await screen.findByText(`At ${shown}`)).toBeInTheDocument();
});
