import { fireEvent, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { server } from '../../../../testing/server';
import { ApiKeyDialog } from './api-key-dialog';

it('names each scope as the API and its refusals do', () => {
  signIn();
  renderRoute('/settings/api-keys', () => <ApiKeyDialog onClose={() => undefined} />);
  for (const scope of ['events:write', 'incidents:read', 'config:read', 'secrets:read', 'api_keys:write'])
    expect(screen.getByRole('checkbox', { name: new RegExp(scope) })).toBeVisible();
});

it('says beside a field what the server finds wrong with it', async () => {
  signIn();
  const details = [{ field: 'name', code: 'blank', message: 'must not be blank' }];
  server.use(
    http.post('*/v1/api-keys', () =>
      HttpResponse.json(
        { code: 'invalid_fields', message: 'name must not be blank.', details },
        { status: 422 },
      ),
    ),
  );
  renderRoute('/settings/api-keys', () => <ApiKeyDialog onClose={() => undefined} />);
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Deploy bot' } });
  fireEvent.click(screen.getByRole('button', { name: 'Create key' }));
  await waitFor(() =>
    expect(screen.getByLabelText('Name')).toHaveAccessibleDescription('Must not be blank.'),
  );
});
