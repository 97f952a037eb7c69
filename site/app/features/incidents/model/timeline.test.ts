import type { TimelineEntryJson } from '@nightbell/proto';
import { expect, it } from 'vitest';
import { lineOf } from './timeline';

const mara = { id: 'u1', name: 'Mara' };

it.each<[TimelineEntryJson, string, string]>([
  [
    { kind: 'declared', message: 'Declared from an alert of Checkout API.' },
    'Incident declared from an alert of Checkout API',
    '',
  ],
  [
    { kind: 'acknowledged', actor: mara, actor_kind: 'user', message: 'Incident acknowledged' },
    'Acknowledged by Mara',
    '',
  ],
  [
    { kind: 'acknowledged', actor: mara, actor_kind: 'user', message: 'On it' },
    'Acknowledged by Mara',
    'On it',
  ],
  [
    { kind: 'resolved', actor_kind: 'system', message: 'All alerts resolved.' },
    'Resolved. All alerts resolved',
    '',
  ],
  [
    { kind: 'resolved', actor: mara, actor_kind: 'user', message: 'Incident resolved' },
    'Resolved by Mara',
    '',
  ],
  [
    { kind: 'comment', actor: mara, actor_kind: 'user', message: 'Pool is full.' },
    'Mara commented',
    'Pool is full.',
  ],
  [
    { kind: 'assigned', actor: mara, actor_kind: 'user', message: 'Assigned to Jonas' },
    'Assigned to Jonas, by Mara',
    '',
  ],
  [
    { kind: 'resolved', actor_kind: 'system', message: 'Resolved by itself: nothing new for 3 days.' },
    'Resolved by itself: nothing new for 3 days',
    '',
  ],
  [
    { kind: 'held', actor_kind: 'system', message: 'Pages are held until 14:00 CET: Database upgrade.' },
    'Pages are held until 14:00 CET: Database upgrade',
    '',
  ],
  [
    { kind: 'ack_timeout', actor_kind: 'system', message: 'Acknowledged 4 hours ago by Mara: paging again.' },
    'Acknowledged 4 hours ago by Mara: paging again',
    '',
  ],
  [{ kind: 'something_new', actor_kind: 'system', message: 'The moon rose.' }, 'The moon rose', ''],
])('%o reads "%s"', (event, sentence, said) => {
  const line = lineOf(event);
  expect(line.lead + line.rest).toBe(sentence);
  expect(line.said).toBe(said);
});

it.each(['held', 'step_skipped', 'last_resort', 'ack_timeout', 'nobody_on_call', 'exhausted'])(
  '%s has a sign of its own',
  (kind) => expect(lineOf({ kind }).icon).not.toBe('chevron-right'),
);
