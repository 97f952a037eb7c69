import type { Exception, Frame } from './event.js';
import { sha256 } from './id.js';

const mostExceptions = 8;
const mostFrames = 8;
const mostCharacters = 500;

/**
 * Names the problem behind an error: the same in every process, release and language, whatever
 * numbers the message holds. `text` is what was hashed.
 */
export function fingerprint(environment: string, exceptions: Exception[]): { sum: string; text: string } {
  const chain = exceptions.slice(0, mostExceptions);
  const lines = [
    'nightbell/1',
    `environment ${environment}`,
    ...chain.map((exception) => `type ${exception.type}`),
  ];
  const frames = chain.findLast((exception) => exception.frames?.length)?.frames;
  if (frames) lines.push(...places(frames));
  else lines.push(`message ${shape(chain[0]?.message ?? '')}`);
  const text = lines.join('\n');
  return { sum: sha256(text).toString('hex', 0, 16), text };
}

const nameless = new Set(['<anonymous>', '<module>']);

/**
 * The application's own frames, or all if none is, without line numbers, and a recursion once.
 * Outermost callers without a name do not count: after an await V8 no longer knows them.
 */
function places(frames: Frame[]): string[] {
  const own = frames.filter((frame) => frame.in_app);
  const counted = own.length ? own : [...frames];
  while (counted.length > 1 && nameless.has(counted.at(-1)?.function ?? '')) counted.pop();
  const lines: string[] = [];
  for (const frame of counted) {
    const line = `at ${frame.module || (frame.file ?? '').replace(/^.*[/\\]/, '')}:${frame.function ?? ''}`;
    if (line !== lines.at(-1)) lines.push(line);
    if (lines.length === mostFrames) break;
  }
  return lines;
}

/** The first line of a message without what changes from one to the next. */
const shape = (message: string): string =>
  Array.from(message.split('\n', 1)[0] ?? '')
    .slice(0, mostCharacters)
    .join('')
    .replace(/[A-Za-z0-9_-]+/g, (word) => (/\d/.test(word) ? '#' : word));
