import { read } from '../repository';

interface Setting {
  option: string;
  env: string[];
  type: string;
  default?: unknown;
}

const meanings: Record<string, string> = {
  api_key: 'With the scope `events:write`; the service key then only names the service.',
  service_key: 'Which service it is about, and so whom to page.',
  base_url: 'Where Nightbell is. It has to be set: the default is no address of yours.',
  environment:
    'Where the program runs, such as `production`. Without it `NODE_ENV`, `APP_ENV` or `GO_ENV` counts, the first that is set.',
  timeout_ms: 'Of one try.',
  enable_auto_capture: 'Reports what nothing catches, and keeps the exit code.',
  debug: 'Prints each event.',
};

/** The settings of a client, from the table that the tests of all three clients read. */
export function settings(language: string): string {
  const { options } = JSON.parse(read('proto/vectors/config.json')) as { options: Setting[] };
  const rows = options
    .filter(({ option }) => option in meanings)
    .map(
      (one) =>
        `| \`${spelled(one.option, language)}\` | \`${one.env[0]}\` | ${usual(one.default, one.type)} | ${meanings[one.option]} |`,
    );
  const all = 'https://github.com/nightbell/nightbell/blob/main/proto/vectors/config.json';
  return `| Option | Or the variable | Default | What it does |\n|---|---|---|---|\n${rows.join('\n')}\n\nThe tests of the three clients read [one table of all settings](${all}).`;
}

function spelled(option: string, language: string): string {
  const words = option.replace(/_ms$/, '').split('_');
  if (language === 'python') return words.join('_');
  const initials: Record<string, string> = { api: 'API', url: 'URL' };
  return words
    .map((word, n) => {
      if (language === 'go') return initials[word] ?? word.replace(/^./, (c) => c.toUpperCase());
      return n === 0 ? word : word.replace(/^./, (c) => c.toUpperCase());
    })
    .join('');
}

function usual(value: unknown, type: string): string {
  if (value === undefined) return 'none';
  if (typeof value === 'object' && value !== null) {
    const by = value as Record<string, unknown>;
    return Object.entries(by)
      .map(([when, what]) =>
        type === 'boolean'
          ? what
            ? `on in ${when}`
            : ''
          : `${what} ms ${when === 'otherwise' ? 'otherwise' : `in ${when}`}`,
      )
      .filter(Boolean)
      .join(', ');
  }
  if (type === 'url') return `\`${value}\``;
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : `${value}`;
}

/** What each severity is for. */
export function severities(): string {
  return [
    '| Severity | Meaning |',
    '|---|---|',
    '| `critical` | A service is fully down, or data is lost |',
    '| `high` | Major functionality is broken |',
    '| `medium` | Part of it is broken |',
    '| `low` | A minor fault |',
  ].join('\n');
}
