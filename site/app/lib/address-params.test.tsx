import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { describe, expect, it } from 'vitest';
import { useAddressParams } from './address-params';

function Router({ children }: { children: ReactNode }) {
  return <MemoryRouter initialEntries={['/?a=1']}>{children}</MemoryRouter>;
}

describe('parameters of the address', () => {
  it('add up when they change faster than the page is drawn', () => {
    const { result } = renderHook(() => useAddressParams(), { wrapper: Router });
    const [, set] = result.current;
    act(() => {
      set((now) => ({ ...Object.fromEntries(now), b: '2' }));
      set((now) => ({ ...Object.fromEntries(now), c: '3' }));
    });
    expect(result.current[0].toString()).toBe('a=1&b=2&c=3');
  });
});
