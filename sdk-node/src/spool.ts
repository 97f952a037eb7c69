import { builtin } from './builtin.js';
import type { Item } from './queue.js';

const mostBytes = 8 << 20;
const life = 72 * 3_600_000; // as long as the server remembers ids
const claimLife = 600_000;
const suffix = '.nightbell.jsonl';
const claimed = '.claimed';

type Line = Pick<Item, 'kind' | 'id' | 'path' | 'weight' | 'urgent'> & {
  at: number;
  body: string;
};

/** A file of the spool. It is removed when nothing of it is left to deliver. */
export class SpoolFile {
  constructor(
    private readonly path: string,
    private left: number,
  ) {}

  done(): void {
    if (--this.left === 0) attempt(() => builtin('fs').unlinkSync(this.path));
  }
}

/**
 * Keeps what could not be delivered on disk until the next start. Each write makes a whole new
 * file, so that a crash leaves no half line and processes share the folder. Events are redacted
 * before they come here.
 */
export class Spool {
  constructor(private readonly dir: string) {}

  /** Keeps items, and returns those that it has no room for. It throws when the folder cannot be written. */
  write(items: Item[]): Item[] {
    const fs = builtin('fs');
    fs.mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    let size = this.files().reduce((sum, path) => sum + (attempt(() => fs.statSync(path).size) ?? 0), 0);
    const lines: string[] = [];
    const refused: Item[] = [];
    for (const item of items) {
      const { kind, id, path, weight, urgent } = item;
      const line: Line = { kind, id, path, weight, urgent, at: item.queuedAt, body: item.body ?? '' };
      const text = `${JSON.stringify(line)}\n`;
      size += Buffer.byteLength(text);
      if (size > mostBytes) refused.push(item);
      else lines.push(text);
    }
    if (lines.length === 0) return refused;
    const name = `${Date.now()}-${process.pid}-${builtin('crypto').randomBytes(4).toString('hex')}${suffix}`;
    const path = builtin('path').join(this.dir, name);
    const draft = `${path}.draft`;
    const file = fs.openSync(draft, 'wx', 0o600);
    try {
      fs.writeFileSync(file, lines.join(''));
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(draft, path);
    return refused;
  }

  /** Takes over what earlier processes left. A claim is a rename, so only one process has each file. */
  claim(now: number): Item[] {
    const fs = builtin('fs');
    const items: Item[] = [];
    for (const path of this.files()) {
      const abandoned = path.endsWith(claimed);
      if (abandoned && now - (attempt(() => fs.statSync(path).mtimeMs) ?? now) < claimLife) continue;
      const own = abandoned
        ? `${path.slice(0, path.indexOf(suffix))}-${process.pid}${suffix}${claimed}`
        : path + claimed;
      const text = attempt(() => {
        fs.renameSync(path, own);
        fs.utimesSync(own, now / 1000, now / 1000);
        return fs.readFileSync(own, 'utf8');
      });
      if (text === undefined) continue; // another process was quicker
      const found = text.split('\n').flatMap((line) => itemOf(line, now));
      if (found.length === 0) attempt(() => fs.unlinkSync(own));
      const file = new SpoolFile(own, found.length);
      for (const item of found) items.push({ ...item, spooled: file });
    }
    return items;
  }

  private files(): string[] {
    const { join } = builtin('path');
    return (attempt(() => builtin('fs').readdirSync(this.dir)) ?? [])
      .filter((name) => name.endsWith(suffix) || name.endsWith(suffix + claimed))
      .map((name) => join(this.dir, name));
  }
}

function itemOf(text: string, now: number): Item[] {
  const line = attempt(() => JSON.parse(text) as Line);
  if (!line || attempt(() => JSON.parse(line.body)) === undefined || now - line.at > life) return [];
  const { kind, id, path, weight, urgent, body, at } = line;
  return [
    {
      kind,
      id,
      path,
      weight,
      urgent,
      body,
      size: body.length,
      queuedAt: at,
      notBefore: 0,
      attempts: 0,
    },
  ];
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
