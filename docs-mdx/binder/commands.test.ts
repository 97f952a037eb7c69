import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  for (const region of ['receiver', 'beside']) {
    writeFileSync(path, extract(read('docs-mdx/commands/alertmanager.yml'), region));
    expect(run(`amtool check-config ${path}`), region).toContain('SUCCESS');
  }
});

it('installs what each example imports', () => {
  const commands = read('docs-mdx/commands/install.sh');
  const packages = (framework: string) => extract(commands, framework).split(' install ')[1]?.split(' ');
  const pages = [
    {
      page: 'nodejs',
      imports: /^import (?:.* from )?'((?:@[^/']+\/)?[^/']+)/gm,
      given: /^(@nightbell|node:)/,
    },
    {
      page: 'python',
      imports: /^(?:import|from) ([a-z]+)/gm,
      given: /^(nightbell|os|typing|http|sys|asyncio)$/,
    },
  ];
  for (const { page, imports, given } of pages) {
    const listed = read(`docs-mdx/content/platforms/${page}.mdx`).matchAll(/file: (\S+),.* install: (\w+)/g);
    for (const [, file = '', framework = ''] of listed) {
      const used = [...read(file).matchAll(imports)].map((found) => found[1] ?? '');
      expect(packages(framework), framework).toEqual(
        expect.arrayContaining(used.filter((name) => !given.test(name))),
      );
    }
  }
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

it('is what Grafana provisions', () => {
  const { contactPoints } = parse(extract(read('docs-mdx/commands/contact-points.yaml'), 'grafana'));
  const shown = read('site/app/features/integrations/model/catalogue.ts');
  const lines = (text: string) => text.replace(/url: .*/g, 'url:');
  expect(lines(shown)).toContain(lines(extract(read('docs-mdx/commands/contact-points.yaml'), 'grafana')));
  expect(contactPoints[0].receivers[0].settings.url).toMatch(/\/v1\/webhooks\/prometheus\/nbs_/);
});

it('names metrics that the server has', () => {
  const file = read('docs-mdx/commands/prometheus.yml');
  const known = read('api/internal/platform/telemetry/metrics.go');
  expect(parse(extract(file, 'scrape')).scrape_configs[0].job_name).toBe('nightbell');
  const rules: { alert: string; expr: string }[] = parse(extract(file, 'rules')).groups[0].rules;
  const named = rules.map(({ expr }) => /[a-z]+(?:_[a-z]+)+/.exec(expr)?.[0]).filter((name) => name);
  expect(named.length).toBe(rules.length - 1); // `up` is Prometheus' own
  for (const name of named) expect(known, name).toContain(`"${name}"`);
});

it('starts what the server has, by a unit', () => {
  const unit = read('docs-mdx/deploy/nightbell.service');
  const sections = [...unit.matchAll(/^\[(\w+)\]$/gm)].map((found) => found[1]);
  expect(sections).toEqual(['Unit', 'Service', 'Install']);
  for (const line of unit.split('\n')) expect(line).toMatch(/^(|#.*|\[\w+\]|[A-Z]\w+=.+)$/);
  const [, command = '', flags = ''] = /^ExecStart=\S+\/nightbell (\w+) (.*)$/m.exec(unit) ?? [];
  const [program, config] = ['api/cmd/nightbell/main.go', 'api/internal/app/config.go'].map(read);
  expect(program).toContain(`${command}Command`);
  expect(flags).toBe('--data-dir /var/lib/nightbell');
  expect(config).toMatch(/DataDir .*NIGHTBELL_DATA_DIR/);
});
