import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from './repository';
import { extract } from './snippet';

// What pages tell people to type, executed; what cannot run here is read by whatever reads it there.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nightbell-docs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const secrets = read('docs-mdx/commands/secrets.sh');
const run = (script: string, env: Record<string, string> = {}, cwd = folder) =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: 'pipe',
  });

it('makes 64 hexadecimal digits', () => {
  const made = ['openssl', 'node', 'python'].map((way) => run(extract(secrets, way)));
  for (const secret of made) expect(secret).toMatch(/^[0-9a-f]{64}\n$/);
  expect(new Set(made).size).toBe(3);
});

it('makes a key with its markers, and forgets it', () => {
  run(extract(secrets, 'key'));
  expect(run(extract(secrets, 'markers'))).toBe(
    '-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n',
  );
  run(extract(secrets, 'forget'));
  expect(readdirSync(folder)).toEqual([]);
});

it('reads as shell: docs-mdx/commands', () => {
  for (const file of readdirSync(join(root, 'docs-mdx/commands')).filter((name) => name.endsWith('.sh'))) {
    const source = read(`docs-mdx/commands/${file}`);
    for (const [, region] of source.matchAll(/#region (\S+)/g))
      run(`bash -n <<'END'\n${extract(source, region)}\nEND`);
  }
  expect(() => run("bash -n <<'END'\nif true\nEND")).toThrow();
});

it('is what Alertmanager takes', () => {
  const path = join(folder, 'alertmanager.yml');
  writeFileSync(path, extract(read('docs-mdx/commands/alertmanager.yml'), 'receiver'));
  expect(run(`amtool check-config ${path}`)).toContain('SUCCESS');
});

it('names settings that the server has', () => {
  const known = read('api/internal/app/config.go');
  const named = [...read('docs-mdx/commands/mail.env').matchAll(/^(\w+)=/gm)].map((found) => found[1] ?? '');
  expect(named.length).toBe(15);
  for (const name of named) expect(known, name).toContain(name);
});

it('is a workflow whose secrets the script and the server know', () => {
  const workflow = parse(read('docs-mdx/deploy/deploy.yml'));
  const steps: { run?: string; env?: Record<string, string> }[] = workflow.jobs.deploy.steps;
  const deploy = steps.find((step) => step.run === 'docs-mdx/deploy/deploy.sh');
  const known = read('api/internal/app/config.go') + read('docs-mdx/deploy/deploy.sh');
  for (const [name, value] of Object.entries(deploy?.env ?? {})) {
    expect(known, name).toContain(name);
    expect(value).toMatch(new RegExp(`^\\$\\{\\{ (secrets|vars)\\.${name} \\}\\}$`));
  }
});

it('deploys over SSH, restarts, and refuses bad secrets', () => {
  // 1. A server is a home on this machine; ssh runs what it is told there, as sshd would.
  const home = join(folder, 'home');
  const bin = join(folder, 'tools');
  for (const made of [join(home, 'nightbell'), bin, join(folder, 'bin')])
    mkdirSync(made, { recursive: true });
  cpSync(join(root, 'docs-mdx/deploy/restart'), join(home, 'nightbell/restart'));
  program(
    join(bin, 'ssh'),
    `while [ "$1" != deploy@server ]; do echo "$1" >> "${folder}/options"; shift; done\ncd "${home}" && exec bash -c "$2"`,
  );
  const nightbell = (version: string, ready: boolean) =>
    program(
      join(folder, 'bin/nightbell'),
      `case $1 in\nversion) echo ${version};;\nserve) echo "$NIGHTBELL_JWT_SECRET ${version}" > started; exec sleep 60;;\nhealthcheck) ${ready ? 'test -f started' : 'exit 1'};;\nesac`,
    );
  run(extract(secrets, 'key'));
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    DEPLOY_TARGET: 'deploy@server',
    DEPLOY_SSH_KEY: readFileSync(join(folder, 'nightbell_deploy'), 'utf8'),
    DEPLOY_KNOWN_HOSTS: 'server ssh-ed25519 AAAA',
    NIGHTBELL_JWT_SECRET: run(extract(secrets, 'openssl')).trim(),
  };
  const script = join(root, 'docs-mdx/deploy/deploy.sh');

  // 2. The first deployment starts it with the secret, under a checked host key.
  nightbell('one', true);
  run(script, env);
  expect(readFileSync(join(home, 'nightbell/started'), 'utf8')).toBe(`${env.NIGHTBELL_JWT_SECRET} one\n`);
  expect(readFileSync(join(folder, 'options'), 'utf8')).toContain('StrictHostKeyChecking=yes');

  // 3. The second replaces it, and the first one has ended.
  const first = readFileSync(join(home, 'nightbell/pid'), 'utf8').trim();
  nightbell('two', true);
  run(script, env);
  expect(readFileSync(join(home, 'nightbell/started'), 'utf8')).toContain(' two\n');
  expect(existsSync(`/proc/${first}`)).toBe(false);
  // 4. A binary that does not run there replaces nothing.
  program(join(folder, 'bin/nightbell'), 'exit 126');
  expect(() => run(script, env)).toThrow();
  expect(readFileSync(join(home, 'nightbell/nightbell'), 'utf8')).toContain('echo two');
  run(`kill ${readFileSync(join(home, 'nightbell/pid'), 'utf8').trim()}`);

  // 5. A secret with a space, and a key without its end, never reach the server.
  expect(() => run(script, { ...env, NIGHTBELL_JWT_SECRET: `${env.NIGHTBELL_JWT_SECRET} ` })).toThrow(
    '64 hexadecimal digits',
  );
  expect(() => run(script, { ...env, DEPLOY_SSH_KEY: env.DEPLOY_SSH_KEY.replace(/-----END.*/, '') })).toThrow(
    'BEGIN and END lines',
  );
});

function program(path: string, body: string): void {
  writeFileSync(path, `#!/bin/bash\n${body}\n`);
  chmodSync(path, 0o755);
}
