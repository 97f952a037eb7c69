// Serves build/client the way the Go server does, with a small in-memory API behind it, so that
// the site can be worked on and looked at alone. Never shipped.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { answer } from './fake-api.mjs';

const client = new URL('../build/client', import.meta.url).pathname;
const port = Number(process.env.PORT ?? 8490);
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
const csp = (html) =>
  `default-src 'self'; img-src 'self'; style-src 'self'; script-src 'self' ${hashes(html)}; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; frame-src 'self'`;

function hashes(html) {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((m) => m[1]);
  return inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
}

const patterns = JSON.parse(readFileSync(join(client, '_routes.json'), 'utf8')).routes.map(
  (pattern) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`),
);

function file(path) {
  try {
    return readFileSync(join(client, path));
  } catch {
    return null;
  }
}

function page(response, status, body) {
  if (!body) return response.writeHead(503).end('The site is being built.\n');
  response.writeHead(status, {
    'Content-Type': types['.html'],
    'Content-Security-Policy': csp(body.toString()),
  });
  response.end(body);
}

createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x');
  if (pathname.startsWith('/v1/')) return answer(request, response);
  const asset = extname(pathname) && file(pathname);
  if (asset) {
    response.writeHead(200, { 'Content-Type': types[extname(pathname)] ?? 'application/octet-stream' });
    return response.end(asset);
  }
  if (pathname.startsWith('/assets/')) return response.writeHead(404).end('Not found\n');
  if (!patterns.some((pattern) => pattern.test(pathname))) return page(response, 404, file('404.html'));
  page(response, 200, file(join(pathname, 'index.html')) ?? file('__spa-fallback.html'));
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
