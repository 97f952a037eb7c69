import type { Event, Exception, Link, Tree } from './event.js';

/** Stands where a secret was. */
const redacted = '[redacted]';

/** The rules of proto/vectors/redaction.json; a test compares them. */
export const rules = {
  replacement: redacted,
  contains: [
    'password',
    'passwd',
    'passphrase',
    'secret',
    'credential',
    'authorization',
    'cookie',
    'apikey',
    'privatekey',
    'accesskey',
    'servicekey',
    'creditcard',
    'cardnumber',
    'sessionid',
  ],
  ends_with: ['token'],
  exact: ['auth', 'cvc', 'cvv', 'jwt', 'otp', 'pin', 'pwd', 'session', 'sid', 'ssn'],
  text: [
    {
      name: 'private_key',
      pattern: '-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?',
      ignore_case: false,
      replacement: redacted,
    },
    {
      name: 'jwt',
      pattern: '\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
      ignore_case: false,
      replacement: redacted,
    },
    {
      name: 'nightbell_key',
      pattern: '\\bnb[a-z]_[A-Za-z0-9_-]{16,}',
      ignore_case: false,
      replacement: redacted,
    },
    {
      name: 'authorization',
      pattern: '\\b(bearer|basic)\\s+[A-Za-z0-9._~+/=-]{16,}',
      ignore_case: true,
      replacement: `$1 ${redacted}`,
    },
    {
      name: 'url_credentials',
      pattern: '://[^/\\s:@]*:[^/\\s@]+@',
      ignore_case: false,
      replacement: `://${redacted}@`,
    },
    {
      name: 'assignment',
      pattern: '\\b([A-Za-z0-9_-]{0,40}(?:password|passwd|secret|token|api_?key|access_?key))=[^\\s&"\',;]+',
      ignore_case: true,
      replacement: `$1=${redacted}`,
    },
  ],
};

/** Text without these cannot match, which is far quicker to see than to search for the pattern. */
const hints: (string | undefined)[] = ['-----BEGIN', 'eyJ', 'nb', undefined, '://', '='];
const patterns = rules.text.map((rule) => new RegExp(rule.pattern, rule.ignore_case ? 'gi' : 'g'));

const bare = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]+/g, '');

export interface Redactor {
  text(text: string): string;
  value(value: unknown): unknown;
  query(query: string): string;
  links(links: Link[] | undefined): void;
  /** Takes secrets out of what people wrote, in place; never out of an id or a name of the code. */
  event(event: Event): void;
}

export function redactor(keys: string[] = []): Redactor {
  const contains = [...rules.contains, ...keys.map(bare).filter(Boolean)];
  const known = new Map<string, boolean>(); // few names, met again and again
  const secret = (key: string): boolean => {
    let answer = known.get(key);
    if (answer === undefined) {
      const name = bare(key);
      answer =
        contains.some((part) => name.includes(part)) ||
        rules.ends_with.some((part) => name.endsWith(part)) ||
        rules.exact.includes(name);
      if (known.size < 500) known.set(key, answer);
    }
    return answer;
  };
  const holds = (value: unknown): boolean =>
    value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';

  const text = (given: string): string => {
    let result = given;
    for (const [n, rule] of rules.text.entries()) {
      const hint = hints[n];
      const pattern = patterns[n];
      if (pattern && (hint === undefined || result.includes(hint)))
        result = result.replace(pattern, rule.replacement);
    }
    return result;
  };
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (given === null || typeof given !== 'object') return given;
    const copy: Tree = {};
    for (const [key, inner] of Object.entries(given))
      copy[key] = secret(key) && holds(inner) ? redacted : value(inner);
    return copy;
  };
  const links = (given: Link[] | undefined): void => {
    for (const link of given ?? []) {
      link.href = text(link.href);
      if (link.text) link.text = text(link.text);
    }
  };
  const exception = (given: Exception): void => {
    given.message = text(given.message);
    for (const frame of given.frames ?? []) {
      if (frame.code) frame.code = text(frame.code);
      if (frame.pre) frame.pre = frame.pre.map(text);
      if (frame.post) frame.post = frame.post.map(text);
    }
  };
  return {
    text,
    value,
    links,
    query: (query) =>
      query
        .split('&')
        .map((part) => {
          const at = part.indexOf('=');
          if (at < 0 || at === part.length - 1) return part;
          const key = part.slice(0, at);
          return secret(decoded(key)) ? `${key}=${redacted}` : part;
        })
        .join('&'),
    event(event) {
      if (event.title) event.title = text(event.title);
      if (event.description) event.description = text(event.description);
      if (event.tags) event.tags = value(event.tags) as Record<string, string>;
      if (event.metadata) event.metadata = value(event.metadata) as Tree;
      links(event.links);
      for (const given of event.error?.exceptions ?? []) exception(given);
      for (const crumb of event.error?.breadcrumbs ?? []) {
        crumb.message = text(crumb.message);
        if (crumb.data) crumb.data = value(crumb.data) as Tree;
      }
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
