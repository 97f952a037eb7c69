import type { IncidentSummaryJson, ListIncidentsResponseJson } from '@nightbell/proto';
import { useQueryClient } from '@tanstack/react-query';
import { fireEvent, screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { reply } from '../../../../testing/reply';
import { server } from '../../../../testing/server';
import { IncidentChoice } from './incident-choice';

it('a press on its way chooses no incident that came above', async () => {
  signIn();
  let incidents: IncidentSummaryJson[] = [{ id: 'i1', title: 'Database disk full' }];
  server.use(http.get('*/v1/incidents', () => reply<ListIncidentsResponseJson>({ incidents })));
  const onChoose = vi.fn();
  renderRoute('/', () => {
    const client = useQueryClient();
    return (
      <>
        <IncidentChoice without={[]} onChoose={onChoose} />
        <button type="button" onClick={() => client.invalidateQueries()}>
          Ask again
        </button>
      </>
    );
  });
  const press = (title: string) => fireEvent.click(screen.getByText(title, { exact: false }), { detail: 1 });
  await screen.findByText(/Database disk full/);
  incidents = [{ id: 'i2', title: 'Something else' }, ...incidents];
  fireEvent.click(screen.getByText('Ask again'));
  await screen.findByText(/Something else/);
  press('Something else');
  expect(onChoose).not.toHaveBeenCalled();
  await new Promise((seen) => setTimeout(seen, 350));
  press('Something else');
  expect(onChoose).toHaveBeenCalledOnce();
});
