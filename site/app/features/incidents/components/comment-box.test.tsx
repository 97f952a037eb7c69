import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '~/lib/query-client';
import { CommentBox } from './comment-box';

const call = vi.hoisted(() => vi.fn());
vi.mock('~/lib/api', async (real) => ({ ...(await real<object>()), call }));

afterEach(() => call.mockReset());

function look() {
  const client = createQueryClient();
  const { rerender } = render(<div />);
  const box = () => screen.getByLabelText('Add a comment') as HTMLTextAreaElement;
  return {
    at: (id: string) =>
      rerender(
        <QueryClientProvider client={client}>
          <CommentBox key={id} id={id} />
        </QueryClientProvider>,
      ),
    box,
    type: (value: string) => fireEvent.change(box(), { target: { value } }),
    post: () => act(async () => void fireEvent.click(screen.getByText('Post'))),
  };
}

it('keeps what is half written while somebody looks at another incident', () => {
  const { at, box, type } = look();
  at('a');
  type('The disk is full on');
  at('b');
  expect(box().value).toBe('');
  type('Another');
  at('a');
  expect(box().value).toBe('The disk is full on');
});

it('keeps nothing that was posted, also when the answer comes after the page was left', async () => {
  let answer = (_: object) => {};
  call.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  const { at, box, type, post } = look();
  at('a');
  type('Done');
  await post();
  at('b');
  await act(async () => answer({}));
  at('a');
  expect(box().value).toBe('');
});

it('keeps what could not be posted', async () => {
  call.mockRejectedValue(new Error('Failed to post comment'));
  const { at, box, type, post } = look();
  at('a');
  type('Done');
  await post();
  expect(box().value).toBe('Done');
  at('b');
  at('a');
  expect(box().value).toBe('Done');
});
