import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { type Column, DataTable } from './data-table';

interface Team {
  id: string;
  name: string;
}

const teams = Array.from({ length: 150 }, (_, n): Team => ({ id: `t${n}`, name: `Team ${n}` }));
const columns: (Column<Team> | false)[] = [
  { head: 'Name', cell: ({ name }) => name },
  false,
  { head: 'Actions', quiet: true, cell: ({ name }) => <button type="button">Edit {name}</button> },
];
const filter = { label: 'Search name', none: 'No team with these words.', words: ({ name }: Team) => [name] };

function show(rows: readonly Team[]) {
  render(
    <DataTable
      label="Teams"
      rows={rows}
      keyOf={({ id }) => id}
      columns={columns}
      rowProps={({ id }) => ({ 'data-first': id === 't0' || undefined })}
      filter={filter}
      empty="No team yet."
    />,
  );
}

it('shows a hundred rows and the next on request, each as its columns say', async () => {
  show(teams);
  expect(screen.getByRole('table', { name: 'Teams' })).toBeVisible();
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Name',
    'Actions',
  ]);
  expect(screen.getAllByRole('row')).toHaveLength(101);
  expect(screen.getAllByRole('row')[1]).toHaveAttribute('data-first', 'true');
  await userEvent.click(screen.getByRole('button', { name: /^Show 50 more/ }));
  expect(screen.getAllByRole('row')).toHaveLength(151);
});

it('narrows while typing, over the rows that are not shown too', async () => {
  show(teams);
  const field = screen.getByRole('searchbox', { name: 'Search name' });
  await userEvent.type(field, ' team 149');
  expect(screen.getAllByRole('row')).toHaveLength(2);
  expect(screen.getByRole('status')).toHaveTextContent('1 of 150');
  await userEvent.type(field, 'x');
  expect(screen.queryByRole('table')).toBeNull();
  expect(screen.getByText('No team with these words.')).toBeVisible();
});

it('says in place of the rows that there is none', () => {
  show([]);
  expect(screen.getByText('No team yet.')).toBeVisible();
  expect(screen.queryByRole('searchbox')).toBeNull();
});
