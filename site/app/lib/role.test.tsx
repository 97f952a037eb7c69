import { render, screen } from '@testing-library/react';
import { memo } from 'react';
import { expect, it } from 'vitest';
import { mayAct, RoleContext } from './role';
import { startSession } from './session-change';

const mara = { user: { id: 'u1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };

const Page = memo(function Page() {
  return (
    <>
      <input aria-label="Name" />
      {mayAct('admin') && <button type="button">Save</button>}
    </>
  );
});

it('takes away what it does not allow any more, and nothing that is written', () => {
  const draw = (role: string) => {
    startSession({ ...mara, user: { ...mara.user, role } });
    return (
      <RoleContext value={role}>
        <Page />
      </RoleContext>
    );
  };
  const { rerender } = render(draw('admin'));
  const field = screen.getByLabelText('Name');
  expect(screen.queryByText('Save')).not.toBeNull();
  rerender(draw('viewer'));
  expect(screen.queryByText('Save')).toBeNull();
  expect(screen.getByLabelText('Name')).toBe(field);
});
