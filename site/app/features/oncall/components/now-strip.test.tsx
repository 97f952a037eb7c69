import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { readersZone } from '~/lib/time/zone';
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

function strip(current: Shift | null, next: Shift | null = null, zone = 'UTC', gap?: Shift): void {
  if (!plain) throw new Error('There is no schedule.');
  render(
    <NowStrip
      schedule={{ ...plain, zone, onCall: current && { current, next } }}
      next={undefined}
      gap={gap}
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

it.each([
  [
    'the reader sits elsewhere',
    'Asia/Tokyo',
    'until 13:00 Asia/Tokyo, then Priya',
    'Now, until Wed 25 Mar 13:00 Asia/Tokyo',
  ],
  ['not where the reader sits', readersZone(), /^until \d\d:\d\d, then Priya$/, /^Now, until .* \d\d:\d\d$/],
])('names the zone of its times when %s', (_, zone, until, gap) => {
  const hour = 3600_000;
  strip(shift('Mara', -1, hour), shift('Priya', hour, 2 * hour), zone, shift('', -1, hour));
  expect(screen.getByText(until)).toBeInTheDocument();
  expect(screen.getByText(gap)).toBeInTheDocument();
});
