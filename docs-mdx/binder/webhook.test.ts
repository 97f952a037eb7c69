import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { root } from './repository';

// The receivers of the page, started as they are, and sent what Standard Webhooks says.

let child: ChildProcess | undefined;
afterEach(async () => {
  if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
});

const patience = 30_000;
it('verifies what Nightbell signs, in Node.js', () => receive('node', 'receive-webhook.js'), patience);
it('verifies what Nightbell signs, in Python', () => receive('python3', 'receive_webhook.py'), patience);

async function receive(program: string, file: string): Promise<void> {
  const [key, port] = [randomBytes(24), await freePort()];
  const env = {
    ...process.env,
    PORT: String(port),
    NIGHTBELL_WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
  };
  child = spawn(program, [join(root, 'docs-mdx/examples', file)], { env });
  let printed = '';
  child.stdout?.on('data', (part: Buffer) => {
    printed += part;
  });
  const body = JSON.stringify({
    type: 'incident.acknowledged',
    data: { incident: { title: 'Orders stopped' }, message: 'Ada has it.' },
  });
  const now = Math.floor(Date.now() / 1000);
  const sign = (id: string, sent: number, by = key, text = body) =>
    `v1,${createHmac('sha256', by).update(`${id}.${sent}.${text}`).digest('base64')}`;
  const post = async (id: string, sent: number, signature: string) => {
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(sent), 'webhook-signature': signature };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  };
  await vi.waitFor(() => post('none', now, 'v1,'), { timeout: 20_000, interval: 50 });
  expect(await post('a', now, sign('a', now))).toBe(204);
  expect(await post('a', now, sign('a', now))).toBe(204);
  expect(await post('b', now, `${sign('b', now, randomBytes(24))} ${sign('b', now)}`)).toBe(204);
  expect(await post('c', now, sign('c', now, randomBytes(24)))).toBe(401);
  expect(await post('c', now, sign('d', now))).toBe(401);
  expect(await post('c', now, sign('c', now, key, `${body} `))).toBe(401);
  expect(await post('c', now - 600, sign('c', now - 600))).toBe(401);
  await vi.waitFor(() =>
    expect(printed).toBe('incident.acknowledged Orders stopped Ada has it.\n'.repeat(2)),
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
