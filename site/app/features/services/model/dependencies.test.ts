import { expect, test } from 'vitest';
import { dependenciesOf, layout } from './dependencies';

const checkout = { id: 'c', name: 'Checkout', depends_on_ids: ['l', 'p'] };
const ledger = { id: 'l', name: 'Ledger', depends_on_ids: [] };
const payments = { id: 'p', name: 'Payments', depends_on_ids: ['l'] };
const all = [checkout, ledger, payments];

test('both directions are read out of all services', () => {
  expect(dependenciesOf('c', all)).toEqual({ needs: [ledger, payments], neededBy: [] });
  expect(dependenciesOf('l', all)).toEqual({ needs: [], neededBy: [checkout, payments] });
  expect(dependenciesOf('gone', all)).toEqual({ needs: [], neededBy: [] });
});

test('what needs it stands on the left, what it needs on the right, in the middle of the taller side', () => {
  const { nodes, rows } = layout(ledger, dependenciesOf('l', all));
  expect(rows).toBe(2);
  expect(nodes.map(({ service, column, row }) => [service.id, column, row])).toEqual([
    ['c', 0, 0],
    ['p', 0, 1],
    ['l', 1, 0.5],
  ]);
});
