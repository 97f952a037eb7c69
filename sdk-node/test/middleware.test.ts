// Each framework with its true server: one event for an error nobody handled, none for an answer,
// the same answers with and without, and contexts of requests at the same time kept apart.
import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Controller, Get, HttpException, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { setClient } from '../src/default.js';
import * as forExpress from '../src/express.js';
import * as forFastify from '../src/fastify.js';
import type { Nightbell } from '../src/index.js';
import * as forKoa from '../src/koa.js';
import * as forNest from '../src/nestjs.js';
import * as forNext from '../src/next.js';
import { createTestClient } from '../src/testing.js';

interface Running {
  url: string;
  close(): Promise<unknown>;
}

const listening = async (server: Server): Promise<Running> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => new Promise((resolve) => server.close(resolve)) };
};

const wait = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
const notFound = () =>
  Object.assign(new Error('no such thing'), { status: 404, statusCode: 404, expose: true });

/** A server with four routes: fine, boom, missing, and user/<n> which fails as that user. */
type Start = (client: Nightbell | undefined) => Promise<Running>;

const starts: Record<string, Start> = {
  express: async (client) => {
    const app = express();
    if (client) app.use(forExpress.nightbellContext(client));
    app.get('/fine', (_req, res) => void res.json({ ok: true }));
    app.get('/boom', async () => {
      throw new Error('boom');
    });
    app.get('/missing', () => {
      throw notFound();
    });
    app.get('/user/:id', async (req) => {
      client?.setUser({ id: req.params.id });
      await wait();
      throw new Error(`fault of ${req.params.id}`);
    });
    if (client) app.use(forExpress.nightbell(client));
    app.use((error: Error & { status?: number }, _req: unknown, res: express.Response, _next: unknown) => {
      res.status(error.status ?? 500).json({ message: 'failed' });
    });
    return listening(createServer(app));
  },
  koa: async (client) => {
    const app = new Koa();
    app.silent = true;
    if (client) app.use(forKoa.nightbell(client));
    app.use(async (ctx: Koa.Context) => {
      const [, route, id] = ctx.path.split('/');
      if (route === 'boom') throw new Error('boom');
      if (route === 'missing') throw notFound();
      if (route === 'user') {
        client?.setUser({ id: String(id) });
        await wait();
        throw new Error(`fault of ${id}`);
      }
      ctx.body = { ok: true };
    });
    return listening(createServer(app.callback()));
  },
  fastify: async (client) => {
    const app = fastify();
    if (client) app.register(forFastify.nightbell, { client });
    app.get('/fine', async () => ({ ok: true }));
    app.get('/boom', async () => {
      throw new Error('boom');
    });
    app.get('/missing', async () => {
      throw notFound();
    });
    app.get('/user/:id', async (request) => {
      const { id } = request.params as { id: string };
      client?.setUser({ id });
      await wait();
      throw new Error(`fault of ${id}`);
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return { url, close: () => app.close() };
  },
  nestjs: async (client) => {
    class Routes {
      fine() {
        return { ok: true };
      }
      boom() {
        throw new Error('boom');
      }
      missing() {
        throw new HttpException('no such thing', 404);
      }
      async user(request: { params: { id: string } }) {
        client?.setUser({ id: request.params.id });
        await wait();
        throw new Error(`fault of ${request.params.id}`);
      }
    }
    // Decorators applied by hand, because the test's compiler does not know them.
    Controller()(Routes);
    for (const [name, path] of [
      ['fine', 'fine'],
      ['boom', 'boom'],
      ['missing', 'missing'],
      ['user', 'user/:id'],
    ] as const)
      Get(path)(
        Routes.prototype,
        name,
        Object.getOwnPropertyDescriptor(Routes.prototype, name) as PropertyDescriptor,
      );
    Req()(Routes.prototype, 'user', 0);
    class Root {}
    Module({ controllers: [Routes] })(Root);
    const app = await NestFactory.create(Root, { logger: false });
    if (client) app.useGlobalInterceptors(forNest.nightbell(client));
    await app.listen(0, '127.0.0.1');
    return { url: await app.getUrl(), close: () => app.close() };
  },
};

describe.each(Object.entries(starts))('%s', (name, start) => {
  const get = async (url: string) => {
    const response = await fetch(url);
    return { status: response.status, body: await response.text() };
  };
  const withServer = async (
    client: Nightbell | undefined,
    use: (url: string) => Promise<void>,
  ): Promise<void> => {
    const running = await start(client);
    try {
      await use(running.url);
    } finally {
      await running.close();
    }
  };

  it('captures an error once with its route, and no answer', async () => {
    const { client, incidents } = createTestClient();
    await withServer(client, async (url) => {
      for (const path of ['/fine', '/missing', '/boom']) await get(url + path);
    });
    const found = await incidents();
    expect(found).toMatchObject([{ title: 'boom', severity: 'high', tags: { 'http.method': 'GET' } }]);
    if (name !== 'koa') expect(found[0]?.operation).toBe('GET /boom');
  });
  it('changes no answer', async () => {
    const answers = async (client: Nightbell | undefined) => {
      const got: unknown[] = [];
      await withServer(client, async (url) => {
        for (const path of ['/fine', '/missing', '/boom', '/nowhere']) got.push(await get(url + path));
      });
      return got;
    };
    const { client } = createTestClient({
      beforeSend: () => {
        throw new Error('no');
      },
    });
    expect(await answers(client)).toEqual(await answers(undefined));
  });
  it('keeps 100 requests at the same time apart', async () => {
    const { client, incidents } = createTestClient();
    await withServer(client, async (url) => {
      await Promise.all(Array.from({ length: 100 }, (_, n) => get(`${url}/user/u${n}`)));
    });
    const found = await incidents();
    expect(found).toHaveLength(100);
    for (const event of found) expect(event.title).toBe(`fault of ${event.user?.id}`);
  });
});

it('next: onRequestError captures with the route and delivers before it returns', async () => {
  const { client, transport } = createTestClient();
  setClient(client);
  forNext.register(); // the client that is there stays
  const request = { path: '/cart/7', method: 'POST', headers: {} };
  await forNext.onRequestError(new Error('boom'), request, { routePath: '/cart/[id]', routeType: 'route' });
  expect(transport.events).toMatchObject([
    { title: 'boom', operation: 'POST /cart/[id]', tags: { 'next.route_type': 'route' } },
  ]);
});

it('next: a beforeSend that throws changes nothing', async () => {
  const { client, transport } = createTestClient({
    beforeSend: () => {
      throw new Error('no');
    },
  });
  setClient(client);
  const request = { path: '/cart/7', method: 'POST', headers: {} };
  await forNext.onRequestError(new Error('boom'), request, { routePath: '/cart/[id]', routeType: 'route' });
  expect(transport.events).toHaveLength(1);
});
