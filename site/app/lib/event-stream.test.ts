import { expect, it } from 'vitest';
import { parseEvent, readEvents, type StreamEvent } from './event-stream';

function bodyOf(chunks: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
}

it('reads events however they are cut, with line ends of either kind', async () => {
  const events: StreamEvent[] = [];
  await readEvents(
    bodyOf([
      ': hello\n\nid: 1\nev',
      'ent: timeline\ndata: {"a":',
      '1}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\ndata: cut off',
    ]),
    (event) => events.push(event),
    () => undefined,
  );
  expect(events).toEqual([
    { id: '1', name: 'timeline', data: '{"a":1}' },
    { id: '2', name: 'message', data: 'x\ny' },
  ]);
});

it('tells of every arrival, comments too', async () => {
  let arrivals = 0;
  await readEvents(
    bodyOf([': beat\n\n', ': beat\n\n']),
    () => undefined,
    () => arrivals++,
  );
  expect(arrivals).toBe(2);
});

it('has no event without data', () => expect(parseEvent('id: 4')).toBeNull());
