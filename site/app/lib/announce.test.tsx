import { afterEach, expect, it, vi } from 'vitest';
import { announce } from './announce';

afterEach(() => vi.useRealTimers());

it('puts the same words there again: a text that does not change is not read again', () => {
  vi.useFakeTimers();
  document.body.innerHTML = '<p data-announced></p>';
  const region = document.querySelector('p');
  const say = () => {
    announce('Comment posted');
    vi.runAllTimers();
    return region?.firstElementChild;
  };
  const first = say();
  expect(region).toHaveTextContent('Comment posted');
  expect(say()).not.toBe(first);
  expect(region?.children).toHaveLength(1);
});
