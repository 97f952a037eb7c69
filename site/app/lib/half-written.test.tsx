import { afterEach, expect, it, vi } from 'vitest';
import { halfWritten, keepHalfWritten, keyOfHalfWritten } from './half-written';
import { endSession, startSession } from './session-change';

const mara = { user: { id: 'u1', org_id: 'o1', name: 'Mara' }, accessToken: 'a', refreshToken: 'r' };
afterEach(() => vi.restoreAllMocks());

function fill(): void {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
}

it('knows the last text and its key also where nothing can be stored', () => {
  startSession(mara);
  fill();
  keepHalfWritten('comment i1', 'Looking at it');
  expect(halfWritten('comment i1')).toBe('Looking at it');
  const key = keyOfHalfWritten('comment i1');
  expect(keyOfHalfWritten('comment i1')).toBe(key);
  keepHalfWritten('comment i1', 'Looking at it now');
  expect(keyOfHalfWritten('comment i1')).not.toBe(key);
  keepHalfWritten('comment i1', '');
  expect(halfWritten('comment i1')).toBe('');
});

it('shows it to nobody else, and not after the session', () => {
  startSession(mara);
  fill();
  keepHalfWritten('comment i1', 'Looking at it');
  vi.restoreAllMocks();
  endSession('signed-out');
  startSession(mara);
  expect(halfWritten('comment i1')).toBe('');
});
