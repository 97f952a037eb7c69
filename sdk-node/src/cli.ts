import { parseArgs } from 'node:util';
import { Nightbell } from './client.js';
import { defaultBaseUrl, mask } from './config.js';
import { NightbellError } from './errors.js';
import type { Change, Severity } from './event.js';
import { version } from './transport.js';

const help = `Usage: npx @nightbell/node <command>

  trigger <title> [--severity critical|high|medium|low] [--description text]
          [--dedup-key key] [--tag name=value]... [--test]
  heartbeat <name> [--status ok|start|fail|stop] [--every 60] [--grace 30] [--run-id id]
  change <summary> [--kind deployment|configuration|feature_flag|other]
         [--version v] [--author name]
  doctor                     checks the configuration and sends a test that pages nobody

Configuration comes from the environment: NIGHTBELL_SERVICE_KEY (or NIGHTBELL_API_KEY),
NIGHTBELL_BASE_URL, NIGHTBELL_ENVIRONMENT and the others of the README.
`;

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** Where the program writes. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** Runs the program and returns its exit code: 0 done, 1 failed, 2 misused. */
export async function main(args: string[], output: Output): Promise<number> {
  const command = args[0] ?? '';
  let values: Values;
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: args.slice(1),
      allowPositionals: true,
      options: {
        severity: { type: 'string' },
        description: { type: 'string' },
        'dedup-key': { type: 'string' },
        tag: { type: 'string', multiple: true },
        test: { type: 'boolean' },
        status: { type: 'string' },
        every: { type: 'string' },
        grace: { type: 'string' },
        'run-id': { type: 'string' },
        kind: { type: 'string' },
        version: { type: 'string' },
        author: { type: 'string' },
      },
    }));
  } catch (error) {
    output.err(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
  const known = { trigger, heartbeat, change, doctor }[command];
  if (!known || (command !== 'doctor' && !positionals[0])) {
    const asked = ['help', '--help', '-h'].includes(command);
    (asked ? output.out : output.err)(command === '--version' ? `${version}\n` : help);
    return asked ? 0 : 2;
  }
  try {
    const client = new Nightbell({
      enableAutoCapture: false,
      debug: false,
      strict: true,
      logger: { warn: (text) => output.err(`${text}\n`) },
    });
    try {
      return await known(client, positionals.join(' '), values, output);
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof NightbellError)) throw error;
    output.err(`${error.message}${error.queued ? ' It was not delivered.' : ''}\n`);
    return error.kind === 'validation' ? 2 : 1;
  }
}

const text = (value: Values[string]): string | undefined => (typeof value === 'string' ? value : undefined);

async function trigger(client: Nightbell, title: string, values: Values, { out }: Output): Promise<number> {
  const tags = (Array.isArray(values.tag) ? values.tag : []).map((tag) => {
    const [name = '', ...value] = String(tag).split('=');
    return [name, value.join('=')] as const;
  });
  const result = await client.triggerIncident({
    title,
    severity: (text(values.severity) ?? 'medium') as Severity,
    description: text(values.description) ?? '',
    dedupKey: text(values['dedup-key']) ?? '',
    tags: Object.fromEntries(tags),
    test: values.test === true,
  });
  out(`${result.status} ${result.url ?? result.id ?? ''}\n`);
  return 0;
}

async function heartbeat(
  client: Nightbell,
  name: string,
  values: Values,
  { out, err }: Output,
): Promise<number> {
  const seconds = (given: Values[string]): number | undefined =>
    given === undefined ? undefined : 1000 * Number(given);
  const every = seconds(values.every);
  const grace = seconds(values.grace);
  const status = text(values.status) ?? 'ok';
  if (!['ok', 'start', 'fail', 'stop'].includes(status) || [every, grace].some((n) => Number.isNaN(n))) {
    err(help);
    return 2;
  }
  client.ping(name, { status: status as 'ok', every, grace, runId: text(values['run-id']) });
  const { ok } = await client.flush(3 * client.settings.timeout);
  if (ok) out(`${status} ${name}\n`);
  else err('The heartbeat was not delivered.\n');
  return ok ? 0 : 1;
}

async function change(
  client: Nightbell,
  summary: string,
  values: Values,
  { out, err }: Output,
): Promise<number> {
  const given: Change = { summary, kind: (text(values.kind) ?? 'other') as 'other' };
  const release = text(values.version);
  const author = text(values.author);
  if (release) given.version = release;
  if (author) given.author = author;
  const id = client.recordChange(given);
  const { ok } = await client.flush(3 * client.settings.timeout);
  if (ok) out(`recorded ${id}\n`);
  else err('The change was not delivered.\n');
  return ok ? 0 : 1;
}

/** Says what is configured, and checks it with an event that pages nobody. */
async function doctor(client: Nightbell, _: string, __: Values, { out, err }: Output): Promise<number> {
  const { apiKey, serviceKey, baseUrl, environment, timeout } = client.settings;
  out(`base URL     ${baseUrl}\n`);
  out(`service key  ${serviceKey ? mask(serviceKey) : 'none'}\n`);
  out(`API key      ${apiKey ? mask(apiKey) : 'none'}\n`);
  out(`environment  ${environment}, timeout ${timeout} ms\n`);
  if (baseUrl === defaultBaseUrl) {
    err('NIGHTBELL_BASE_URL is not set: nothing can be sent. Set it to the address of your Nightbell.\n');
    return 1;
  }
  if (!client.settings.enabled) {
    err('NIGHTBELL_DISABLED is set: nothing is sent.\n');
    return 1;
  }
  const start = Date.now();
  const result = await client.triggerIncident({ title: 'Test by doctor', severity: 'low', test: true });
  out(`test event   ${result.status} in ${Date.now() - start} ms\n`);
  return 0;
}
