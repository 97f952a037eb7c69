import { describe, expect, it } from 'vitest';
import { ApiError } from './api';
import { changedFields, isConflict, onTop } from './edits';

describe('edits at the same time', () => {
  it('keep what either changed, and of the same field what is written here', () => {
    const base = { name: 'Nights', description: '', zone: 'UTC' };
    const mine = { ...base, name: 'Mine' };
    expect(onTop(base, mine, { name: 'Theirs', description: 'New', zone: 'UTC' })).toEqual({
      name: 'Mine',
      description: 'New',
      zone: 'UTC',
    });
  });
  it('are told from other failures', () => {
    expect(isConflict(new ApiError('Failed', 412))).toBe(true);
    expect(isConflict(new ApiError('Failed', 409))).toBe(false);
    expect(isConflict(null)).toBe(false);
  });

  it('differ in the fields that one side changed', () => {
    expect(changedFields({ a: 1, b: [1], c: '' }, { a: 1, b: [2], c: 'x' })).toEqual(['b', 'c']);
  });
});
