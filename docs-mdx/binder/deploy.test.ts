import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { read, root } from './repository';
import { extract } from './snippet';

// Quick Setup, word by word, against a real sshd of this machine. Its home is a folder of the test.

const account = userInfo().username;
const commands = read('docs-mdx/commands/secrets.sh');
const children: ChildProcess[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nightbell-deploy-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill()) await ended;
  }
  rmSync(folder, { recursive: true });
});

it('deploys over SSH, restarts, and refuses bad secrets', { timeout: 60_000 }, async () => {
  // 1. A server with one key that its owner logs in with, and another whose host key is another.
  const [home, bin] = [join(folder, 'home'), join(folder, 'tools')];
  for (const made of [join(home, 'nightbell'), bin, join(folder, 'bin')])
    mkdirSync(made, { recursive: true });
  cpSync(join(root, 'docs-mdx/deploy/restart'), join(home, 'nightbell/restart'));
  makeKey('owner');
  for (const own of [home, folder]) mkdirSync(join(own, '.ssh'));
  cpSync(join(folder, 'owner.pub'), join(home, '.ssh/authorized_keys'));
  const port = await startServer(home);
  const agent = await startAgent('owner');
  // The client of this machine, with the name of the page for that server, and no file of its user.
  writeFileSync(
    join(folder, 'client'),
    `Host your-server\n  HostName 127.0.0.1\n  Port ${port}\nHost *\n  UserKnownHostsFile ${folder}/known\n  StrictHostKeyChecking accept-new\n`,
  );
  program(join(bin, 'ssh'), `exec ${found('ssh')} -F ${folder}/client "$@"`);
  program(join(bin, 'gh'), `cat > "${folder}/$3"`); // gh secret set NAME, gh variable set NAME
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder };

  // 2. The page's commands: a key, its public half on the server, a login with it, the host's line.
  const shown = (region: string) => extract(commands, region).replaceAll('deploy@', `${account}@`);
  run(shown('key'), env);
  expect(() => run(shown('first-login'), env)).toThrow('Permission denied');
  run(shown('authorize'), { ...env, SSH_AUTH_SOCK: agent });
  run(shown('first-login'), env);
  run(shown('known-host').replace('your-server', `-p ${port} 127.0.0.1`), env);
  const hosts = readFileSync(join(folder, 'DEPLOY_KNOWN_HOSTS'), 'utf8');
  expect(hosts).toContain(' ssh-ed25519 ');

  // 3. The first deployment starts it with the secret.
  const secrets = {
    PATH: process.env.PATH ?? '',
    DEPLOY_TARGET: `ssh://${account}@127.0.0.1:${port}`,
    DEPLOY_SSH_KEY: readFileSync(join(folder, 'nightbell_deploy'), 'utf8'),
    DEPLOY_KNOWN_HOSTS: hosts,
    NIGHTBELL_JWT_SECRET: run(extract(commands, 'openssl')).trim(),
    // What a shell would read otherwise than it is written.
    NIGHTBELL_SMTP_FROM: 'Nightbell <you@gmail.com>',
    NIGHTBELL_SMTP_PASSWORD: `abcd efgh 'ijkl' "$HOME" \`mnop\` #1`,
  };
  const given = `${secrets.NIGHTBELL_SMTP_FROM} ${secrets.NIGHTBELL_SMTP_PASSWORD} ${secrets.NIGHTBELL_JWT_SECRET}`;
  const deploy = (changed: Partial<typeof secrets> = {}) =>
    run(join(root, 'docs-mdx/deploy/deploy.sh'), { ...secrets, ...changed });
  // It is started in the background: what it writes may come after the deployment.
  const started = (text: string) =>
    vi.waitFor(() => expect(readFileSync(join(home, 'nightbell/started'), 'utf8')).toBe(text), 10_000);
  nightbell('one');
  deploy();
  await started(`${given} one\n`);

  // 4. The second replaces it, and the first one has ended.
  const first = readFileSync(join(home, 'nightbell/pid'), 'utf8').trim();
  nightbell('two');
  deploy();
  await started(`${given} two\n`);
  expect(run(shown('server-doctor').replace('~', home))).toBe(`${secrets.NIGHTBELL_SMTP_FROM}\n`);
  expect(existsSync(`/proc/${first}`)).toBe(false);

  // 5. A binary that does not run there replaces nothing.
  program(join(folder, 'bin/nightbell'), 'exit 126');
  expect(() => deploy()).toThrow();
  expect(readFileSync(join(home, 'nightbell/nightbell'), 'utf8')).toContain('echo two');
  run(`kill ${readFileSync(join(home, 'nightbell/pid'), 'utf8').trim()}`);

  // 6. What the troubleshooting names: a key that the server does not know, a host that is another,
  // a secret with a space, and a key without its end.
  makeKey('stranger');
  const stranger = readFileSync(join(folder, 'stranger'), 'utf8');
  expect(() => deploy({ DEPLOY_SSH_KEY: stranger })).toThrow('Permission denied (publickey)');
  const another = readFileSync(join(folder, 'stranger.pub'), 'utf8').split(' ')[1];
  expect(() => deploy({ DEPLOY_KNOWN_HOSTS: hosts.replace(/AAAA\S+/g, another ?? '') })).toThrow(
    'Host key verification failed',
  );
  expect(() => deploy({ NIGHTBELL_JWT_SECRET: `${secrets.NIGHTBELL_JWT_SECRET} ` })).toThrow(
    'NIGHTBELL_JWT_SECRET has to be 64 hexadecimal digits',
  );
  expect(() => deploy({ DEPLOY_SSH_KEY: secrets.DEPLOY_SSH_KEY.replace(/-----END.*/, '') })).toThrow(
    'DEPLOY_SSH_KEY has to be the whole private key',
  );
});

/** An sshd of the account that tests run as, on loopback, that takes keys only. */
async function startServer(home: string): Promise<number> {
  // As root it wants the folder that Debian's service makes.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  makeKey('host');
  const port = await freePort();
  writeFileSync(
    join(folder, 'sshd_config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${folder}/host`,
      `AuthorizedKeysFile ${home}/.ssh/authorized_keys`,
      'PidFile none',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      `SetEnv HOME=${home}`,
      'ForceCommand cd && exec bash -c "$SSH_ORIGINAL_COMMAND"',
    ].join('\n'),
  );
  const server = spawn(found('sshd'), ['-D', '-e', '-f', join(folder, 'sshd_config')]);
  children.push(server);
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (part: Buffer) => {
      log += part;
      if (log.includes('Server listening on')) resolve();
    });
    server.on('exit', () => reject(new Error(`sshd ended: ${log}`)));
  });
  return port;
}

/** An agent that holds a key, as that of whoever can log in already. */
async function startAgent(key: string): Promise<string> {
  const socket = join(folder, 'agent');
  const agent = spawn(found('ssh-agent'), ['-D', '-a', socket]);
  children.push(agent);
  await once(agent.stdout, 'data');
  run(`ssh-add -q ${key}`, { SSH_AUTH_SOCK: socket });
  return socket;
}

function makeKey(name: string): void {
  run(`ssh-keygen -q -t ed25519 -N "" -f ${name}`);
}

/** A binary that behaves like Nightbell where the script looks. */
function nightbell(version: string): void {
  program(
    join(folder, 'bin/nightbell'),
    `case $1 in\nversion) echo ${version};;\ndoctor) echo "$NIGHTBELL_SMTP_FROM";;\nserve) echo "$NIGHTBELL_SMTP_FROM $NIGHTBELL_SMTP_PASSWORD $NIGHTBELL_JWT_SECRET ${version}" > started; exec -a "nightbell serve" sleep 60;;\nhealthcheck) test -f started;;\nesac`,
  );
}

function run(script: string, env: Record<string, string> = {}): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function program(path: string, body: string): void {
  writeFileSync(path, `#!/bin/bash\n${body}\n`);
  chmodSync(path, 0o755);
}

/** The path of an installed program; a missing one fails the test. */
function found(name: string): string {
  const path = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin']
    .map((at) => join(at, name))
    .find(existsSync);
  if (!path) throw new Error(`${name} was not found on this machine. Run: make deps`);
  return path;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
