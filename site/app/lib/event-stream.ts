/** One message of a server-sent event stream. */
export interface StreamEvent {
  /** Where to continue after a break; empty when the server gave none. */
  id: string;
  /** The kind of message; `message` when the server named none. */
  name: string;
  data: string;
}

/**
 * Reads server-sent events from an answer's body until it ends or fails, giving each to `onEvent`.
 * `onHeard` is called before the events of what arrived, and for comments, which is how silence is noticed;
 * not for what is no part of a stream.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
  onHeard: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let waiting = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (waiting + decoder.decode(value, { stream: true }).replaceAll('\r\n', '\n')).split('\n\n');
    waiting = blocks.pop() ?? '';
    const events = blocks.map(parseEvent).filter((event) => event !== null);
    if (events.length > 0 || blocks.some((block) => block.startsWith(':'))) onHeard();
    for (const event of events) onEvent(event);
  }
}

/** The event of one block of lines, or null when it holds only comments or no data. */
export function parseEvent(block: string): StreamEvent | null {
  const event: StreamEvent = { id: '', name: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]+):? ?(.*)$/.exec(line) ?? [];
    if (field === 'id') event.id = value;
    if (field === 'event') event.name = value;
    if (field === 'data') data.push(value);
  }
  if (data.length === 0) return null;
  return { ...event, data: data.join('\n') };
}
