import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderRoute, signIn } from '../../../../testing/render-route';
import { ApiKeyDialog } from './api-key-dialog';

it('names each scope as the API and its refusals do', () => {
  signIn();
  renderRoute('/settings/api-keys', () => <ApiKeyDialog onClose={() => undefined} />);
  for (const scope of ['events:write', 'incidents:read', 'config:read', 'secrets:read', 'api_keys:write'])
    expect(screen.getByRole('checkbox', { name: new RegExp(scope) })).toBeVisible();
});
