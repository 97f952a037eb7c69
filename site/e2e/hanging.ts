import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before a server, on which readings can hang: they take a connection, and are never answered. */
export interface Proxy {
  url: string;
  hang: (hang: boolean) => void;
  /** How many readings hang now. */
  hanging: () => number;
  close: () => void;
}

export async function startProxy(target: string): Promise<Proxy> {
  let hangs = false;
  let hanging = 0;
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    if (hangs && method === 'GET' && /^\/v1\/(?!stream)/.test(url)) {
      hanging += 1;
      response.on('close', () => {
        hanging -= 1;
      });
      return;
    }
    const onward = ask(`${target}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hang: (hang) => {
      hangs = hang;
    },
    hanging: () => hanging,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
