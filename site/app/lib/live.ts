import type { StreamEvent } from './event-stream';
import { lead } from './leader';
import { pause } from './pause';
import { awake, readStream } from './stream';

/** What the tabs of one identity tell each other. `at` is when the stream was heard, on the clock they share. */
type Word =
  | { kind: 'here' }
  | { kind: 'open' | 'forget'; at: number }
  | { kind: 'heard'; at: number; id: string }
  | { kind: 'event'; at: number; event: StreamEvent };

/** What a tab does with the feed. */
export interface Follower {
  onEvent: (event: StreamEvent) => void;
  /** What is shown may lack events: the feed has begun, or was interrupted. Fetch it again. */
  onRenew: () => void;
  /** The server cannot continue: fetch everything that is shown, whatever it is about. */
  onForget: () => void;
}

/** When this browser last heard from the feed, and when this tab began to follow it: milliseconds since 1970, 0 for never. */
export interface Feed {
  heardAt: number;
  since: number;
}

const nothing: Feed = { heardAt: 0, since: 0 };
let current = nothing;

/** The feed as it is now. */
export function feed(): Feed {
  return current;
}

/**
 * Follows the organization's events until `signal` aborts. Of all tabs of this identity one reads
 * the stream and passes it on; every tab remembers how far it has seen, so that whichever takes over
 * continues there. A hidden tab neither reads nor listens; when it is seen again it begins again.
 */
export async function follow(identity: string, follower: Follower, signal: AbortSignal): Promise<void> {
  current = { heardAt: 0, since: Date.now() };
  const stopWatching = watchForSleep();
  signal.addEventListener('abort', () => {
    stopWatching();
    current = nothing;
  });
  while (!signal.aborted) {
    const hidden = new AbortController();
    const onVisibility = () => document.visibilityState === 'hidden' && hidden.abort();
    document.addEventListener('visibilitychange', onVisibility);
    onVisibility();
    if (!hidden.signal.aborted) await attend(identity, follower, AbortSignal.any([signal, hidden.signal]));
    document.removeEventListener('visibilitychange', onVisibility);
    // Without a session nothing is left to follow; the page leaves.
    if (!hidden.signal.aborted) return;
    await shown(signal);
  }
}

// While it is visible: listens to whichever tab leads, and stands ready to lead.
async function attend(identity: string, follower: Follower, signal: AbortSignal): Promise<void> {
  const name = `nightbell-live ${identity}`;
  const channel = new BroadcastChannel(name);
  let lastId = '';
  // What happened before this tab began to listen is in no event that it gets.
  let joined = false;
  const take = (word: Word) => {
    if (signal.aborted || word.kind === 'here') return;
    current = { ...current, heardAt: Math.max(Math.min(current.heardAt, Date.now()), word.at) };
    if (word.kind === 'forget') {
      lastId = '';
      return follower.onForget();
    }
    if (word.kind === 'open' || !joined) follower.onRenew();
    joined = true;
    if (word.kind === 'heard') lastId = word.id || lastId;
    if (word.kind !== 'event') return;
    lastId = word.event.id || lastId;
    follower.onEvent(word.event);
  };
  const tell = (word: Word) => {
    take(word);
    channel.postMessage(word);
  };
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.kind !== 'here') return take(data);
    if (leads) channel.postMessage({ kind: 'heard', at: current.heardAt, id: lastId } satisfies Word);
  };
  channel.postMessage({ kind: 'here' } satisfies Word);
  await lead(
    name,
    async (term) => {
      const reader = {
        after: () => lastId,
        onOpen: () => {
          leads = true;
          tell({ kind: 'open', at: Date.now() });
        },
        onEvent: (event: StreamEvent) => tell({ kind: 'event', at: Date.now(), event }),
        onHeard: () => tell({ kind: 'heard', at: Date.now(), id: lastId }),
        onForget: () => tell({ kind: 'forget', at: Date.now() }),
      };
      await readStream(identity, reader, term);
      leads = false;
    },
    signal,
  );
  channel.close();
}

const lookEvery = 1000;
const slept = 5000;

// A timer that comes much too late means that the computer slept: what is connected may be dead.
function watchForSleep(): () => void {
  let before = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - before > lookEvery + slept) window.dispatchEvent(new Event(awake));
    before = now;
  }, lookEvery);
  return () => clearInterval(timer);
}

async function shown(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && document.visibilityState === 'hidden') {
    const changed = new AbortController();
    const onChange = () => changed.abort();
    document.addEventListener('visibilitychange', onChange);
    await pause(2 ** 30, AbortSignal.any([signal, changed.signal]));
    document.removeEventListener('visibilitychange', onChange);
  }
}
