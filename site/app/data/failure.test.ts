import { afterEach, expect, it } from 'vitest';
import { ApiError } from '~/lib/api';
import { dismissToasts, takeToasts, toastsAt } from '~/lib/toast';
import { showFailure } from './failure';

const place = {};
const leave = takeToasts(place);
afterEach(() => {
  dismissToasts();
  leave();
});

it('offers a Retry only of what may work', () => {
  const retry = () => undefined;
  const offered = (status: number, code: string) => {
    showFailure(new ApiError('Failed to acknowledge incident', status, 'Why.', {}, code), {
      id: 'x-c41e',
      tried: 'acknowledge x-c41e',
      retry,
    });
    const [shown, ...others] = toastsAt(place);
    expect(others).toEqual([]);
    return shown?.retry === retry;
  };
  expect(offered(0, '')).toBe(true);
  expect(offered(503, 'unavailable')).toBe(true);
  expect(offered(409, 'idempotency_in_progress')).toBe(true);
  expect(offered(409, 'incident_resolved')).toBe(false);
  expect(offered(429, 'too_many_requests')).toBe(true);
  expect(offered(403, '')).toBe(true);
  expect(offered(403, 'permission_denied')).toBe(false);
});
