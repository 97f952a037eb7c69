import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Shift, toSchedules } from '../model/schedule';
import { NowStrip } from './now-strip';

const now = Date.parse('2026-03-25T03:00:00Z');
const [plain] = toSchedules([{ id: 's1', name: 'Primary', timezone: 'UTC', status: 'active' }]);
const shift = (name: string, from: number, to: number): Shift => ({
  from: now + from,
  to: now + to,
  people: name ? [{ id: name, name }] : [],
  because: 'rotation',
  becauseId: '',
  becauseName: '',
});

function strip(current: Shift | null, next: Shift | null = null): void {
  if (!plain) throw new Error('There is no schedule.');
  render(
    <NowStrip
      schedule={{ ...plain, onCall: current && { current, next } }}
      next={undefined}
      gap={undefined}
      hasHours={false}
      off={false}
      othersWithGaps={undefined}
      sawEveryOther={false}
      now={now}
      hueOf={() => undefined}
      onShow={() => undefined}
    />,
  );
}

it.each([
  ['the server did not say', null, null],
  ['the answer is of a shift that has ended', shift('', -7200, -3600), null],
] as const)('claims nothing when %s', (_, current, next) => {
  strip(current, next);
  expect(screen.getByText('Who is on call now is not known')).toBeInTheDocument();
  expect(screen.queryByText('Nobody')).toBeNull();
});

it('says nobody when that is known, and hands over when the shift ends', () => {
  strip(shift('', -1, 3600));
  expect(screen.getByText('Nobody')).toBeInTheDocument();
  strip(shift('Jonas', -7200, -1), shift('Priya', -1, 3600));
  expect(screen.getByText('Priya')).toBeInTheDocument();
});
