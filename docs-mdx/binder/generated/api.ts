import { safe } from './errors';
import { type Call, calls, type Parameter, resolved, type Schema, tags } from './openapi';
import { programs } from './programs';
import { sample } from './samples';

/** Calls that a client library makes, and the examples that make them. */
const clients: Record<string, [file: string, region: string][]> = {
  events_send: [
    ['sdk-node/examples/trigger.js', 'trigger'],
    ['sdk-python/examples/trigger.py', 'trigger'],
    ['sdk-go/examples/trigger/main.go', 'trigger'],
  ],
  changes_send: [
    ['sdk-node/examples/change.js', 'change'],
    ['sdk-python/examples/change.py', 'change'],
    ['sdk-go/examples/change/main.go', 'change'],
  ],
  heartbeats_ping_post: [
    ['sdk-node/examples/heartbeat.js', 'heartbeat'],
    ['sdk-python/examples/heartbeat.py', 'heartbeat'],
    ['sdk-go/examples/heartbeat/main.go', 'heartbeat'],
  ],
};

/** The list of all calls, each with an anchor that its id is. */
export function api(): string {
  return tags()
    .map(({ name, description, url }) => {
      const rows = of(name).map(
        ({ id, method, path, summary }) =>
          `| [${summary}](${url}#${id}) | \`${method.toUpperCase()}\` | \`${path}\` |`,
      );
      return `## [${name}](${url}) [#${anchor(name)}]\n\n${safe(description)}\n\n| Call | Method | Path |\n|---|---|---|\n${rows.join('\n')}`;
    })
    .join('\n\n');
}

/** The calls about one kind of thing: what each takes, who may make it, how programs make it, and what is refused. */
export function callsOf(tag: string): string {
  return of(tag).map(call).join('\n\n');
}

const of = (tag: string) => calls().filter((one) => one.tag === tag);
const anchor = (name: string) => name.toLowerCase().replace(/\W+/g, '-');

function call(one: Call): string {
  const rows = [...one.parameters.map(parameter), ...fields(one.body)];
  const [curl, ...others] = programs(sample(one)).map(
    ({ language, title, code }) =>
      `\`\`\`${language} document=${one.id} title="${title}" label="${one.method.toUpperCase()} ${one.path}"\n${code}\n\`\`\``,
  );
  const sdks = clients[one.id]?.map(([file, region], n) => {
    const [fence, title] =
      [
        ['js', 'Node.js'],
        ['py', 'Python'],
        ['go', 'Go'],
      ][n] ?? [];
    return `\`\`\`${fence} file=${file} region=${region} title="${title}"\n\`\`\``;
  });
  return [
    `## ${one.summary} [#${one.id}]`,
    `\`${one.method.toUpperCase()} ${one.path}\``,
    safe(one.description),
    who(one),
    curl,
    ...(sdks ?? others),
    rows.length > 0 ? `| Name | Where | What |\n|---|---|---|\n${rows.join('\n')}` : '',
    answers(one),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function who({ security }: Call): string {
  if (security.length === 0) return 'Anybody may call it.';
  const ways = security.map((one) => {
    const [kind = '', scopes = []] = Object.entries(one)[0] ?? [];
    const least = scopes.length > 0 ? ` \`${scopes.join('`, `')}\`` : '';
    return (
      {
        access_token: `a signed-in person, at least${least || ' a viewer'}`,
        api_key: `an API key with${least || ' any scope'}`,
        service_key: 'the key of a service',
      }[kind] ?? kind
    );
  });
  return `May be called by ${ways.join(', or ')}.`;
}

/** What it answers when all is well, and behind a disclosure everything that it refuses. */
function answers({ answers: all }: Call): string {
  const well = all.filter(({ status }) => status < 400);
  const refused = all.filter(({ status }) => status >= 400);
  const rows = refused.map(({ status, description }) => {
    const again = status === 429 || status === 503 ? 'after Retry-After' : 'no';
    return `| [\`${status}\`](/docs/errors) | ${cell(description.replace(/\s*Codes: [\s\S]*/, ''))} | ${again} |`;
  });
  const told = well.map(({ status, description }) => `\`${status}\`: ${safe(description)}`).join(' ');
  const statuses = refused.map(({ status }) => status).join(', ');
  return `Answers ${told}\n\n<details><summary>Errors: ${statuses}</summary>\n\n| Status | What it means | Send it again |\n|---|---|---|\n${rows.join('\n')}\n\n</details>`;
}

function parameter({ name, schema = {}, required, in: where, description }: Parameter): string {
  return field(name, schema, required, where, description);
}

/** A row for each field, and below it those of the objects that it holds: `rotations[].windows[].start`. */
function fields(body: Schema | undefined, within = '', around: Schema[] = []): string[] {
  return Object.entries(body?.properties ?? {}).flatMap(([name, one]) => {
    const { items, ...own } = resolved(one);
    const held = items ? resolved(items) : own;
    const path = `${within}${name}`;
    const row = field(path, one, body?.required?.includes(name), 'body', undefined);
    const known = around.some(({ properties }) => properties === held.properties);
    return known ? [row] : [row, ...fields(held, `${path}${items ? '[]' : ''}.`, [...around, held])];
  });
}

function field(
  name: string,
  given: Schema,
  required: boolean | undefined,
  where: string,
  described: string | undefined,
): string {
  const schema = resolved(given);
  const words = schema.enum ?? schema['x-extensible-enum'] ?? schema.items?.enum;
  const text = [
    described ?? given.description ?? schema.description ?? '',
    words ? `One of ${words.map((word) => `\`${word}\``).join(', ')}.` : '',
    limits(schema),
  ]
    .filter(Boolean)
    .join(' ');
  return `| \`${name}\` | ${where}${required ? ', required' : ''} | ${cell(text)} |`;
}

function limits({ maxLength, minimum, maximum }: Schema): string {
  const bounds = [
    maxLength ? `up to ${maxLength} characters` : '',
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
  ].filter(Boolean);
  return bounds.length > 0 ? `${bounds.join(', ').replace(/^./, (first) => first.toUpperCase())}.` : '';
}

function cell(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/([|<>*_[\]])/g, (sign, _group, at: number, all: string) =>
      (all.slice(0, at).match(/`/g)?.length ?? 0) % 2 ? sign : `\\${sign}`,
    );
}
