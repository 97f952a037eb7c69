import { act, render } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { useHashScroll } from './hash-scroll';

afterEach(() => vi.useRealTimers());

function Page() {
  useHashScroll();
  return <section id="pricing" />;
}

it('scrolls smoothly to the section of the hash after 100 ms', () => {
  vi.useFakeTimers();
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  const scroll = vi.fn();
  HTMLElement.prototype.scrollIntoView = scroll;
  render(
    <MemoryRouter initialEntries={['/#pricing']}>
      <Page />
    </MemoryRouter>,
  );
  act(() => vi.advanceTimersByTime(99));
  expect(scroll).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(1));
  expect(scroll).toHaveBeenCalledExactlyOnceWith({ behavior: 'smooth' });
  vi.unstubAllGlobals();
});
