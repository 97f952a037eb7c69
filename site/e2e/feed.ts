import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from '@playwright/test';

/** A live feed in the hand of a test: it says what it is told to, and nothing else. */
export interface Feed {
  /** What each connection asked to continue after, in order. */
  asked: { after: string; bearer: string }[];
  /** How many tabs read it now. */
  readers: () => number;
  event: (id: number, data: object) => void;
  beat: () => void;
  /** Ends the connections; new ones are taken. */
  cut: () => void;
  /** Whether new connections are refused. */
  refuse: (refuse: boolean) => void;
  close: () => void;
}

/** Puts a feed between the pages of a browser and the server. With `beats` it lives by itself. */
export async function giveFeed(context: BrowserContext, { beats = true } = {}): Promise<Feed> {
  const open = new Set<ServerResponse>();
  const events: { id: number; text: string }[] = [];
  const asked: Feed['asked'] = [];
  const say = (text: string) => {
    for (const response of open) response.write(text);
  };
  let refusing = false;
  const server = createServer((request, response) => {
    if (refusing) return response.destroy();
    const after = String(request.headers['last-event-id'] ?? '');
    asked.push({ after, bearer: String(request.headers.authorization) });
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const newest = events.at(-1)?.id ?? 0;
    const missed = events.filter(({ id }) => after !== '' && id > Number(after));
    response.write(`id: ${after || newest}\nevent: hello\ndata: {"seq":${after || newest}}\n\n`);
    for (const { text } of missed) response.write(text);
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await context.route('**/v1/stream', (route) =>
    route.continue({ url: `http://127.0.0.1:${port}/v1/stream` }),
  );
  const beating = beats ? setInterval(() => say(': beat\n\n'), 4000) : undefined;
  return {
    asked,
    readers: () => open.size,
    event: (id, data) => {
      const text = `id: ${id}\nevent: incident.commented\ndata: ${JSON.stringify(data)}\n\n`;
      events.push({ id, text });
      say(text);
    },
    beat: () => say(': beat\n\n'),
    cut: () => {
      for (const response of open) response.destroy();
    },
    refuse: (refuse) => {
      refusing = refuse;
    },
    close: () => {
      clearInterval(beating);
      for (const response of open) response.destroy();
      server.close();
    },
  };
}
