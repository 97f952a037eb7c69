import { parse } from 'yaml';
import { read } from '../repository';
import { safe } from './errors';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  examples?: unknown[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: unknown;
  allOf?: Schema[];
  oneOf?: Schema[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { $ref?: string; description?: string }>;
}

interface Document {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

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
const languages: Record<string, [fence: string, title: string]> = {
  js: ['js', 'Node.js'],
  py: ['py', 'Python'],
  go: ['go', 'Go'],
};

/** Every call of the OpenAPI document: what it takes, who may make it, and how it looks with curl. */
export function api(): string {
  const document: Document = parse(read('api/gen/openapi/openapi.yaml'));
  const calls = Object.entries(document.paths).flatMap(([path, at]) =>
    Object.entries(at).flatMap(([method, operation]) =>
      methods.includes(method) ? [{ path, method, operation }] : [],
    ),
  );
  return document.tags
    .map(({ name, description }) => {
      const own = calls.filter(({ operation }) => operation.tags[0] === name);
      if (own.length === 0) return '';
      return [
        `## ${name}`,
        safe(description ?? ''),
        ...own.map((one) => call(document, one.path, one.method, one.operation)),
      ].join('\n\n');
    })
    .join('\n\n');
}

function call(document: Document, path: string, method: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref ? found<Parameter>(document, one.$ref) : one,
  );
  const body = operation.requestBody?.content['application/json']?.schema;
  const parts = [
    `### ${operation.summary} [#${operation.operationId}]`,
    `\`${method.toUpperCase()} ${path}\``,
    safe(operation.description ?? ''),
    `${who(operation)}${answers(operation)}`,
  ];
  const rows = [
    ...parameters.map((one) =>
      field(document, one.name, one.schema ?? {}, one.required, one.in, one.description),
    ),
    ...fields(document, body),
  ];
  if (rows.length > 0) parts.push(`| Name | Where | What |\n|---|---|---|\n${rows.join('\n')}`);
  parts.push(
    `\`\`\`sh document=${operation.operationId} title="curl"\n${curl(document, path, method, operation, parameters, body)}\n\`\`\``,
  );
  for (const [file, region] of clients[operation.operationId] ?? []) {
    const [fence, title] = languages[file.split('.').at(-1) ?? ''] ?? ['text', ''];
    parts.push(`\`\`\`${fence} file=${file} region=${region} title="${title}"\n\`\`\``);
  }
  return parts.filter(Boolean).join('\n\n');
}

function who({ security = [] }: Operation): string {
  if (security.length === 0) return 'Anybody may call it. ';
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
  return `May be called by ${ways.join(', or ')}. `;
}

function answers({ responses }: Operation): string {
  return `Answers ${Object.keys(responses)
    .map((status) => `\`${status}\``)
    .join(', ')}; [what refusals mean](/docs/errors).`;
}

function fields(document: Document, schema: Schema | undefined): string[] {
  const whole = schema && resolved(document, schema);
  return Object.entries(whole?.properties ?? {}).map(([name, one]) =>
    field(document, name, one, whole?.required?.includes(name), 'body', undefined),
  );
}

function field(
  document: Document,
  name: string,
  given: Schema,
  required: boolean | undefined,
  where: string,
  described: string | undefined,
): string {
  const schema = resolved(document, given);
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

function curl(
  document: Document,
  path: string,
  method: string,
  operation: Operation,
  parameters: readonly Parameter[],
  body: Schema | undefined,
): string {
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map((one) => `${one.name}=${sample(document, one.schema ?? {}, one.name)}`);
  const address = `$NIGHTBELL_BASE_URL${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const lines = [`curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${address}"`];
  const key = operation.security?.some((one) => 'service_key' in one)
    ? 'NIGHTBELL_SERVICE_KEY'
    : 'NIGHTBELL_API_KEY';
  if ((operation.security ?? [{}]).length > 0) lines.push(`-H "Authorization: Bearer $${key}"`);
  if (body) {
    const whole = resolved(document, body);
    const shown = Object.entries(whole.properties ?? {}).filter(
      ([name, one]) => whole.required?.includes(name) || (resolved(document, one).examples ?? one.examples),
    );
    const value = Object.fromEntries(shown.map(([name, one]) => [name, sample(document, one, name)]));
    lines.push(`--json '${JSON.stringify(value).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

function sample(document: Document, given: Schema, name: string, depth = 0): unknown {
  const schema = resolved(document, given);
  const example = given.examples?.[0] ?? schema.examples?.[0];
  if (example !== undefined) return example;
  const word = (schema.enum ?? schema['x-extensible-enum'])?.[0];
  if (word !== undefined) return word;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array')
    return depth < 3 && schema.items ? [sample(document, schema.items, name, depth + 1)] : [];
  if (type === 'object' || schema.properties) {
    const needed = Object.entries(schema.properties ?? {}).filter(([key]) => schema.required?.includes(key));
    return depth < 3
      ? Object.fromEntries(needed.map(([key, one]) => [key, sample(document, one, key, depth + 1)]))
      : {};
  }
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (schema.format === 'uuid') return '01993c5e-7f00-7000-8000-00000000c41e';
  if (schema.format === 'date-time') return '2026-11-28T03:00:00Z';
  return name;
}

function resolved(document: Document, schema: Schema): Schema {
  const own = schema.$ref ? found<Schema>(document, schema.$ref) : schema;
  return own.allOf?.[0] ? { ...resolved(document, own.allOf[0]), ...own, allOf: undefined } : own;
}

function found<Kind>(document: Document, reference: string): Kind {
  const [, , group = '', name = ''] = reference.split('/');
  return document.components[group]?.[name] as Kind;
}
