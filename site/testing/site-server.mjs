// Serves build/client the way the Go server does, with a small in-memory API behind it, so that
// the site can be worked on and looked at alone; with NIGHTBELL_API=http://127.0.0.1:8480 a real
// server answers instead. Never shipped.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
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
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

// The fallback page's policy is inherited by the mail frame of the inbox, which has style attributes.
function csp(html, isFallback) {
  const scripts = `script-src 'self' ${hashes(html)}`;
  const styles = `style-src 'self'${isFallback ? "; style-src-attr 'unsafe-inline'" : ''}`;
  return `default-src 'self'; ${scripts}; ${styles}; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

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

function page(response, status, body, isFallback = false) {
  if (!body) return response.writeHead(503).end('The site is being built.\n');
  response.writeHead(status, {
    'Content-Type': types['.html'],
    'Content-Security-Policy': csp(body.toString(), isFallback),
  });
  response.end(body);
}

function pass(request, response) {
  const { method, headers, url } = request;
  const onward = ask(new URL(url, process.env.NIGHTBELL_API), { method, headers }, (real) => {
    response.writeHead(real.statusCode, real.headers);
    real.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x');
  if (/^\/(v1|ack)\//.test(pathname))
    return process.env.NIGHTBELL_API ? pass(request, response) : answer(request, response);
  const asset = extname(pathname) && file(pathname);
  if (asset) {
    response.writeHead(200, { 'Content-Type': types[extname(pathname)] ?? 'application/octet-stream' });
    return response.end(asset);
  }
  if (pathname.startsWith('/assets/')) return response.writeHead(404).end('Not found\n');
  const prerendered = file(join(pathname, 'index.html'));
  if (prerendered) return page(response, 200, prerendered);
  if (!patterns.some((pattern) => pattern.test(pathname))) return page(response, 404, file('404.html'));
  page(response, 200, file('__spa-fallback.html'), true);
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
