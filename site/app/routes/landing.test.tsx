import { act, render, screen } from '@testing-library/react';
import { createRoutesStub } from 'react-router';
import { expect, it } from 'vitest';
import { signIn } from '../../testing/render-route';
import Landing from './landing';

const Incident = () => <p>The incident</p>;

it('returns to its page when another tab has signed in', async () => {
  const Stub = createRoutesStub([
    { path: '/', Component: Landing },
    { path: '/incidents/:id', Component: Incident },
  ]);
  const state = { from: '/incidents/i1', reason: 'Authentication expired. Please log in again.' };
  render(<Stub initialEntries={[{ pathname: '/', state }]} />);
  expect(await screen.findByText(state.reason)).toBeInTheDocument();
  act(signIn);
  expect(await screen.findByText('The incident')).toBeInTheDocument();
});
