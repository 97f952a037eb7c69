/** What is sent as a body. A text such as `$SERVICE_ID` is the variable of that name. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** A request as programs in every language send it. */
export interface Sent {
  method: string;
  /** With `$VARIABLES`. */
  path: string;
  /** The variable that holds the key; none where anybody may call. */
  key: string | undefined;
  body: Value | undefined;
  /** Whether the answer goes on until somebody ends it. */
  endless: boolean;
}

/** The same request in four languages, with nothing but what each brings along. */
export function programs(sent: Sent): { language: string; title: string; code: string }[] {
  if (/`|\$(?![A-Z_]+\b)/.test(JSON.stringify(sent)))
    throw new Error(`A shell, JavaScript or Go would read something else: ${JSON.stringify(sent)}`);
  return [
    { language: 'sh', title: 'curl', code: curl(sent) },
    { language: 'js', title: 'Node.js', code: node(sent) },
    { language: 'py', title: 'Python', code: python(sent) },
    { language: 'go', title: 'Go', code: go(sent) },
  ];
}

function curl({ method, path, key, body, endless }: Sent): string {
  const options = `-sS${endless ? 'N' : ''}${method === 'HEAD' ? 'I' : ''} --fail-with-body`;
  const verb = method === 'GET' || method === 'HEAD' || (method === 'POST' && body) ? '' : ` -X ${method}`;
  const lines = [`curl ${options}${verb} "$NIGHTBELL_BASE_URL${path}"`];
  if (key) lines.push(`-H "Authorization: Bearer $${key}"`);
  if (body === undefined) return lines.join(' \\\n  ');
  lines.push('--json @- <<JSON');
  return `${lines.join(' \\\n  ')}\n${shown(body, json, '')}\nJSON`;
}

function node({ method, path, key, body, endless }: Sent): string {
  const put = (text: string) => text.replace(/\$([A-Z_]+)/g, `\${$1}`);
  const used = variables(path, key, body);
  const json = body === undefined ? '' : `, 'Content-Type': 'application/json'`;
  const options = [
    method === 'GET' ? '' : `  method: '${method}',`,
    key || json
      ? `  headers: { ${[key ? `Authorization: \`Bearer \${${key}}\`` : '', json.slice(2)].filter(Boolean).join(', ')} },`
      : '',
    body === undefined ? '' : `  body: JSON.stringify(${shown(body, javascript, '  ')}),`,
  ].filter(Boolean);
  const address = `\`\${NIGHTBELL_BASE_URL}${put(path)}\``;
  return [
    `const { ${used.join(', ')} } = process.env;`,
    options.length > 0
      ? `const answer = await fetch(${address}, {\n${options.join('\n')}\n});`
      : `const answer = await fetch(${address});`,
    endless
      ? 'for await (const part of answer.body) process.stdout.write(part);'
      : 'console.log(answer.status, await answer.text());',
  ].join('\n');
}

function python({ method, path, key, body, endless }: Sent): string {
  const put = (text: string) => text.replace(/\$([A-Z_]+)/g, "{env['$1']}");
  const headers = [
    key ? `"Authorization": f"Bearer ${put(`$${key}`)}"` : '',
    body === undefined ? '' : '"Content-Type": "application/json"',
  ].filter(Boolean);
  const given = [
    `    f"${put(`$NIGHTBELL_BASE_URL${path}`)}",`,
    `    method="${method}",`,
    headers.length > 0 ? `    headers={${headers.join(', ')}},` : '',
    body === undefined ? '' : `    data=json.dumps(${shown(body, pythonic, '    ')}).encode(),`,
  ].filter(Boolean);
  return [
    ...(body === undefined ? [] : ['import json']),
    'from os import environ as env',
    'from urllib.request import Request, urlopen',
    '',
    `request = Request(\n${given.join('\n')}\n)`,
    'with urlopen(request) as answer:',
    endless
      ? '    for line in answer:\n        print(line.decode(), end="", flush=True)'
      : '    print(answer.status, answer.read().decode())',
  ].join('\n');
}

function go({ method, path, key, body }: Sent): string {
  const imports = ['fmt', 'io', 'log', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  return [
    `package main\n\nimport (\n${imports.map((one) => `\t"${one}"`).join('\n')}\n)\n\nfunc main() {`,
    ...(body === undefined
      ? []
      : [
          `\tbody := strings.NewReader(os.ExpandEnv(\`${shown(body, json, '\t').replace(/^( {2})+/gm, tabs)}\`))`,
        ]),
    `\trequest, err := http.NewRequest("${method}", os.ExpandEnv("$NIGHTBELL_BASE_URL${path}"), ${body === undefined ? 'nil' : 'body'})`,
    '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    ...(key ? [`\trequest.Header.Set("Authorization", os.ExpandEnv("Bearer $${key}"))`] : []),
    ...(body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    '\tanswer, err := http.DefaultClient.Do(request)',
    '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    '\tdefer answer.Body.Close()',
    '\tfmt.Println(answer.Status)',
    '\tif _, err := io.Copy(os.Stdout, answer.Body); err != nil {\n\t\tlog.Print(err)\n\t}\n}',
  ].join('\n');
}

const tabs = (spaces: string) => '\t'.repeat(spaces.length / 2);

function variables(path: string, key: string | undefined, body: Value | undefined): string[] {
  const named = `${path} ${key ? `$${key}` : ''} ${JSON.stringify(body) ?? ''}`.matchAll(/\$([A-Z_]+)/g);
  return [...new Set(['NIGHTBELL_BASE_URL', ...[...named].map((one) => one[1] ?? '')])];
}

/** How a language writes values. */
interface Dialect {
  text(text: string): string;
  variable(name: string): string;
  name(name: string): string;
  words: [yes: string, no: string, nothing: string];
  room: string;
  step: string;
  last: string;
}

const quoted = (text: string) => JSON.stringify(text);
const json: Dialect = {
  text: quoted,
  variable: (name) => `"$${name}"`,
  name: quoted,
  words: ['true', 'false', 'null'],
  room: '',
  step: '  ',
  last: '',
};
const javascript: Dialect = {
  text: (text) => `'${quoted(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  variable: (name) => name,
  name: (name) => (/^\w+$/.test(name) ? name : `'${name}'`),
  words: ['true', 'false', 'null'],
  room: ' ',
  step: '  ',
  last: ',',
};
const pythonic: Dialect = {
  ...json,
  variable: (name) => `env["${name}"]`,
  words: ['True', 'False', 'None'],
  step: '    ',
  last: ',',
};

const width = 76;

/** A value in one line where it fits, each part on its own where it does not. */
function shown(value: Value, dialect: Dialect, indent: string): string {
  const { text, variable, name, words, room, step, last } = dialect;
  if (value === null) return words[2];
  if (typeof value === 'boolean') return value ? words[0] : words[1];
  if (typeof value === 'number') return `${value}`;
  if (typeof value === 'string') return /^\$[A-Z_]+$/.test(value) ? variable(value.slice(1)) : text(value);
  const list = Array.isArray(value);
  const parts = (at: string) =>
    list
      ? value.map((one) => shown(one, dialect, at))
      : Object.entries(value).map(([key, one]) => {
          const word = shown(one, dialect, at);
          return dialect === javascript && word === key ? key : `${name(key)}: ${word}`;
        });
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  const pad = list || parts(indent).length === 0 ? '' : room;
  const line = `${open}${pad}${parts(indent).join(', ')}${pad}${close}`;
  if (indent.length + line.length <= width && !line.includes('\n')) return line;
  const deeper = indent + step;
  return `${open}\n${parts(deeper)
    .map((one) => deeper + one)
    .join(',\n')}${last}\n${indent}${close}`;
}
