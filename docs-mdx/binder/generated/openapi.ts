import { parse } from 'yaml';
import { read } from '../repository';

/** The schema of a value, as far as the pages read it. */
export interface Schema {
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
  allOf?: Schema[];
}

/** What a call takes in its address or a header. */
export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Response {
  $ref?: string;
  description?: string;
}

/** One call of the document. */
export interface Call {
  path: string;
  method: string;
  tag: string;
  id: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  body: Schema | undefined;
  answers: { status: number; description: string }[];
}

interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}

interface Document {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
}

/** The file that everything here is read from. */
export const file = 'api/gen/openapi/openapi.yaml';
const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];
let document: Document | undefined;

function opened(): Document {
  document ??= parse(read(file)) as Document;
  return document;
}

/** The kinds of things that calls are about, each with its page's address. */
export function tags(): { name: string; description: string; url: string }[] {
  return opened().tags.flatMap(({ name, description = '' }) =>
    calls().some(({ tag }) => tag === name)
      ? [
          {
            name,
            description: description.replace(/ \(spec [^)]*\)/, ''),
            url: `/docs/api/${name.toLowerCase().replace(/\W+/g, '-')}`,
          },
        ]
      : [],
  );
}

/** Every call, in the order of the document. */
export function calls(): Call[] {
  const { paths, security = [] } = opened();
  return Object.entries(paths).flatMap(([path, at]) =>
    methods.flatMap((method) => {
      const one = at[method];
      return one ? [{ path, method, ...call(one), security: one.security ?? security }] : [];
    }),
  );
}

function call(one: Operation): Omit<Call, 'path' | 'method' | 'security'> {
  const body = one.requestBody?.content['application/json']?.schema;
  return {
    tag: one.tags[0] ?? '',
    id: one.operationId,
    summary: one.summary,
    description: one.description ?? '',
    parameters: (one.parameters ?? []).map((each) => (each.$ref ? found<Parameter>(each.$ref) : each)),
    body: body && resolved(body),
    answers: Object.entries(one.responses).map(([status, each]) => ({
      status: Number(status),
      description: (each.$ref ? found<Response>(each.$ref) : each).description ?? '',
    })),
  };
}

/** A schema with what it refers to in its place. */
export function resolved(schema: Schema): Schema {
  const own = schema.$ref ? found<Schema>(schema.$ref) : schema;
  return own.allOf?.[0] ? { ...resolved(own.allOf[0]), ...own, allOf: undefined } : own;
}

function found<Kind>(reference: string): Kind {
  const [, , group = '', name = ''] = reference.split('/');
  return opened().components[group]?.[name] as Kind;
}
