import { ConfigError } from './errors.js';
import type { Event } from './event.js';
import type { Transport } from './transport.js';

/** Where warnings go. `console` is one. */
export interface Logger {
  warn(message: string): void;
}

/** What a client is made of. Arguments win over environment variables, and those over defaults. */
export interface Options {
  /** `NIGHTBELL_API_KEY`. An API key, or a service key, is enough; without either the client does nothing. */
  apiKey?: string | undefined;
  /** `NIGHTBELL_SERVICE_KEY` */
  serviceKey?: string | undefined;
  /** `NIGHTBELL_BASE_URL`, such as `https://nightbell.acme.com`. Plain http only to this machine. */
  baseUrl?: string | undefined;
  /** Allows plain http to another machine, where everybody between can read the key. */
  allowInsecure?: boolean | undefined;
  /** `NIGHTBELL_ENVIRONMENT`, `NODE_ENV`, `APP_ENV` or `GO_ENV`; `development` by default. */
  environment?: string | undefined;
  /** `NIGHTBELL_TIMEOUT_MS`: of one try, in ms. 10000 in production, otherwise 5000. */
  timeout?: number | undefined;
  /** `NIGHTBELL_AUTO_CAPTURE`: report uncaught errors and deliver on signals. Only in production by default. */
  enableAutoCapture?: boolean | undefined;
  /** `NIGHTBELL_DEBUG`: write what is sent. Only in development by default. */
  debug?: boolean | undefined;
  /** `NIGHTBELL_RELEASE`, or the commit that the build names. */
  release?: string | undefined;
  /** `NIGHTBELL_SERVER_NAME`; the host name by default. */
  serverName?: string | undefined;
  /** `NIGHTBELL_SAMPLE_RATE`: the share of captured errors that is sent. Incidents are never sampled. */
  sampleRate?: number | undefined;
  /** `NIGHTBELL_MAX_QUEUE`: how many events may wait; 1000 by default. */
  maxQueue?: number | undefined;
  /** `NIGHTBELL_FLUSH_TIMEOUT_MS`: how long delivery may hold the end of the program, in ms; 2000 by default. */
  flushTimeout?: number | undefined;
  /** `NIGHTBELL_SPOOL_DIR`: a folder that keeps what could not be delivered until the next start. */
  spoolDir?: string | undefined;
  /** `NIGHTBELL_CA_FILE`: PEM of certificate authorities to trust beside those of Node. */
  caFile?: string | undefined;
  /** `NIGHTBELL_MAX_RETRIES`: of a call that somebody awaits; 3 by default. */
  maxRetries?: number | undefined;
  /** `NIGHTBELL_DISABLED` */
  disabled?: boolean | undefined;
  /** Makes a missing key an error. */
  strict?: boolean | undefined;
  /** Errors that are not captured: a part of the message, a pattern, or a function. */
  ignoreErrors?: (string | RegExp | ((error: unknown) => boolean))[] | undefined;
  /** Sees every event before it is redacted and sent; may change it, or drop it by returning null. */
  beforeSend?: ((event: Event) => Event | null) | undefined;
  /** Further names of tags and metadata whose values are taken out. */
  redactKeys?: string[] | undefined;
  /** Where warnings go instead of `console`. */
  logger?: Logger | undefined;
  /** Sends requests in another way: see `@nightbell/node/testing`. */
  transport?: Transport | undefined;
}

/** The effective configuration. */
export interface Settings {
  apiKey: string | undefined;
  serviceKey: string | undefined;
  baseUrl: string;
  environment: string;
  timeout: number;
  enableAutoCapture: boolean;
  debug: boolean;
  release: string | undefined;
  serverName: string | undefined;
  sampleRate: number;
  maxQueue: number;
  flushTimeout: number;
  spoolDir: string | undefined;
  caFile: string | undefined;
  maxRetries: number;
  disabled: boolean;
  /** Whether anything is sent at all. */
  enabled: boolean;
}

export type Warning = 'key_missing' | 'base_url_missing';
export type Environment = Record<string, string | undefined>;

export const defaultBaseUrl = 'https://api.nightbell.example';

const environmentNames = ['NIGHTBELL_ENVIRONMENT', 'NODE_ENV', 'APP_ENV', 'GO_ENV'];
const releaseNames = [
  'NIGHTBELL_RELEASE',
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'VERCEL_GIT_COMMIT_SHA',
  'RENDER_GIT_COMMIT',
  'HEROKU_SLUG_COMMIT',
];

/** Makes the effective configuration, or throws a ConfigError for a value that cannot be right. */
export function load(
  options: Options,
  env: Environment,
  hostName: string | undefined,
): { settings: Settings; warnings: Warning[] } {
  const read = reader(env);
  const environment = (read.text(options.environment, environmentNames) ?? 'development').toLowerCase();
  const production = environment === 'production';
  const given = read.text(options.baseUrl, ['NIGHTBELL_BASE_URL']);
  const settings: Settings = {
    apiKey: read.key('apiKey', options.apiKey, 'NIGHTBELL_API_KEY'),
    serviceKey: read.key('serviceKey', options.serviceKey, 'NIGHTBELL_SERVICE_KEY'),
    baseUrl: given === undefined ? defaultBaseUrl : checkedUrl(given, options.allowInsecure === true),
    environment,
    timeout:
      read.number('timeout', options.timeout, 'NIGHTBELL_TIMEOUT_MS', [1, 600_000]) ??
      (production ? 10_000 : 5000),
    enableAutoCapture:
      read.flag('enableAutoCapture', options.enableAutoCapture, 'NIGHTBELL_AUTO_CAPTURE') ?? production,
    debug: read.flag('debug', options.debug, 'NIGHTBELL_DEBUG') ?? environment === 'development',
    release: read.text(options.release, releaseNames),
    serverName: read.text(options.serverName, ['NIGHTBELL_SERVER_NAME']) ?? hostName,
    sampleRate: read.number('sampleRate', options.sampleRate, 'NIGHTBELL_SAMPLE_RATE', [0, 1], true) ?? 1,
    maxQueue: read.number('maxQueue', options.maxQueue, 'NIGHTBELL_MAX_QUEUE', [1, 100_000]) ?? 1000,
    flushTimeout:
      read.number('flushTimeout', options.flushTimeout, 'NIGHTBELL_FLUSH_TIMEOUT_MS', [0, 60_000]) ?? 2000,
    spoolDir: read.text(options.spoolDir, ['NIGHTBELL_SPOOL_DIR']),
    caFile: read.text(options.caFile, ['NIGHTBELL_CA_FILE']),
    maxRetries: read.number('maxRetries', options.maxRetries, 'NIGHTBELL_MAX_RETRIES', [0, 10]) ?? 3,
    disabled: read.flag('disabled', options.disabled, 'NIGHTBELL_DISABLED') ?? false,
    enabled: false,
  };
  if (settings.disabled) return { settings, warnings: [] };
  if (settings.apiKey === undefined && settings.serviceKey === undefined) {
    if (options.strict)
      throw new ConfigError(
        'serviceKey',
        'required',
        'Set serviceKey or NIGHTBELL_SERVICE_KEY to the key of a service.',
      );
    return { settings, warnings: ['key_missing'] };
  }
  settings.enabled = true;
  return { settings, warnings: given === undefined ? ['base_url_missing'] : [] };
}

function reader(env: Environment) {
  const trimmed = (value: unknown): string | undefined =>
    value === undefined || value === null ? undefined : String(value).trim() || undefined;
  const first = (value: unknown, names: string[]): string | undefined => {
    for (const candidate of [value, ...names.map((name) => env[name])]) {
      const text = trimmed(candidate);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  return {
    text: first,
    key(option: string, value: unknown, name: string) {
      const key = first(value, [name]);
      if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
        throw new ConfigError(
          option,
          'bad_format',
          `${option} is not a key: it holds blanks, line breaks or letters beyond ASCII.`,
        );
      return key;
    },
    flag(option: string, value: unknown, name: string) {
      const text = first(value, [name])?.toLowerCase();
      if (text === undefined) return undefined;
      if (['1', 'true', 'yes', 'on'].includes(text)) return true;
      if (['0', 'false', 'no', 'off'].includes(text)) return false;
      throw new ConfigError(option, 'bad_format', `${option} is true or false, not "${text}".`);
    },
    number(option: string, value: unknown, name: string, [least, most]: [number, number], fraction = false) {
      const text = first(value, [name]);
      if (text === undefined) return undefined;
      const number = Number(text);
      if (!Number.isFinite(number) || (!fraction && !/^[+-]?\d+$/.test(text)))
        throw new ConfigError(
          option,
          'bad_format',
          `${option} is a ${fraction ? '' : 'whole '}number, not "${text}".`,
        );
      if (number < least || number > most)
        throw new ConfigError(
          option,
          'out_of_range',
          `${option} is between ${least} and ${most}, not ${text}.`,
        );
      return number;
    },
  };
}

function checkedUrl(text: string, allowInsecure: boolean): string {
  const bad = (why: string) =>
    new ConfigError('baseUrl', 'bad_format', `baseUrl ${why}, such as https://nightbell.acme.com.`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw bad('is a URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw bad('begins with https://');
  if (url.username || url.password || url.search || url.hash) throw bad('has no user, query or fragment');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecure)
    throw new ConfigError(
      'baseUrl',
      'insecure',
      'Plain http would show the key to everybody between: use https, or set allowInsecure.',
    );
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

/** How a key is shown to people: its kind and its last four characters. */
export function mask(key: string): string {
  if (key.length < 16) return '...';
  return `${/^nb[a-z]_/.exec(key)?.[0] ?? ''}...${key.slice(-4)}`;
}
