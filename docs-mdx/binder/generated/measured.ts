import { read } from '../repository';

interface Target {
  name: string;
  median: number;
  worst: number;
  bar: number;
  at_most: boolean;
  reached: boolean;
}

interface Bench {
  date: string;
  machine: { processor: string; processors: number; memory_gib: number };
  targets: Target[];
}

const benches: [file: string, title: string, run: string][] = [
  ['page', 'How soon somebody is paged', 'make bench-page'],
  ['ingest', 'How fast alerts are stored', 'make bench-ingest'],
  ['list', 'Lists, starts and memory', 'make bench-list'],
  ['footprint', 'What it needs', 'make bench-list'],
  ['oncall', 'Who is on call, and the sweep', 'make bench-oncall'],
  ['site', 'How fast the screens answer', 'make bench-site'],
];

/** Each measurement as a picture and a table, from the files that the benchmarks write; missed bars too. */
export function measured(): string {
  return (
    benches.map(([file, title, run]) => section(bench(file), file, title, run)).join('\n\n') +
    `\n\n${reporting()}\n\n${chaos()}`
  );
}

/** Three figures that are the promise, for the first page. */
export function headlines(): string {
  const page = bench('page').targets;
  const start = bench('footprint').targets.find(({ name }) => name.startsWith('first start'));
  const rows = [
    [`${round(page[0]?.median)} ms`, 'from an alert in to the page out, median', 'make bench-page'],
    [`${round(page[2]?.median)} ms`, 'until the last of 30 people is paged', 'make bench-page'],
    [`${round((start?.median ?? 0) / 1000)} s`, 'for a first start from nothing', 'make bench-list'],
  ];
  return `| Figure | Of what | Measure it again |\n|---|---|---|\n${rows.map(([figure, what, run]) => `| **${figure}** | ${what} | \`${run}\` |`).join('\n')}`;
}

function bench(file: string): Bench {
  return JSON.parse(read(`docs-mdx/bench/${file}.json`));
}

function section({ targets, date, machine }: Bench, file: string, title: string, run: string): string {
  const rows = targets.map(
    (one) =>
      `| ${one.name} | ${round(one.median)} | ${round(one.worst)} | ${one.at_most ? 'at most' : 'at least'} ${one.bar} | ${one.reached ? 'reached' : '**missed**'} |`,
  );
  return [
    `## ${title} [#${file}]`,
    `Measured by \`${run}\` on ${date.slice(0, 10)} on ${machine.processors} cores of ${/intel/i.test(machine.processor) ? 'an Intel Xeon' : 'an AMD EPYC'} with ${machine.memory_gib} GiB. Client, server and PostgreSQL share them.`,
    picture(targets, title),
    `| What | Median | Worst round | Bar | Result |\n|---|---|---|---|---|\n${rows.join('\n')}`,
  ].join('\n\n');
}

/** How much of its bar each figure uses; a bar that ends left of the line of an upper limit is good. */
function picture(targets: readonly Target[], title: string): string {
  const row = 34;
  const limit = 420;
  const drawn = targets.map((one, n) => {
    const share = Math.min(one.median / one.bar, 1.6);
    const y = n * row;
    const colour = one.reached ? 'var(--chart, var(--link))' : 'var(--text-3)';
    return `<text x="0" y="${y + 12}" font-size="12" fill="var(--text-2)">${quoted(one.name)}</text><rect x="0" y="${y + 17}" width="${Math.max(1, Math.round(share * limit))}" height="7" rx="2" fill="${colour}"/><text x="690" y="${y + 24}" font-size="12" text-anchor="end" fill="var(--text-1)">${round(one.median)} of ${one.bar}${one.reached ? '' : ', missed'}</text>`;
  });
  const height = targets.length * row;
  const told = targets
    .map((one) => `${one.name}: ${round(one.median)}, bar ${one.bar}${one.reached ? '' : ', missed'}`)
    .join('; ');
  return `<svg role="img" aria-label="${quoted(`${title}. ${told}`)}" viewBox="0 0 700 ${height}"><line x1="${limit}" x2="${limit}" y1="0" y2="${height}" stroke="var(--line)" stroke-dasharray="3 3"/>${drawn.join('')}</svg>`;
}

/** The SDKs beside another of each language, from one run. */
function reporting(): string {
  const { at, anchors, figures } = JSON.parse(read('docs-mdx/bench/sdk.json')) as {
    at: string;
    anchors: Record<string, string>;
    figures: {
      sdk: string;
      what: string;
      unit: string;
      ours: number;
      anchor: number;
      bar: string;
      met: boolean;
    }[];
  };
  const rows = figures.map(
    (one) =>
      `| ${languages[one.sdk]} | ${one.what}${one.unit && `, ${one.unit}`} | ${one.ours} | ${one.anchor} | ${one.bar} | ${one.met ? 'reached' : '**missed**'} |`,
  );
  const others = Object.values(anchors).map((name) => `\`${name}\``);
  return `## What the SDKs cost [#sdk]\n\nMeasured by \`make bench-sdk\` on ${at.slice(0, 10)}, each beside ${others.join(', ')} in the same run. What is missed, and what it is made of, is [decision 0015](/docs/decisions/0015).\n\n| SDK | What | Nightbell | The other | Bar | Result |\n|---|---|---|---|---|---|\n${rows.join('\n')}`;
}

const languages: Record<string, string> = { node: 'Node.js', python: 'Python', go: 'Go' };

function chaos(): string {
  const { at, figures } = JSON.parse(read('docs-mdx/bench/chaos.json')) as {
    at: string;
    figures: { scenario: string; test: string; what: string; value: string; bar?: string }[];
  };
  const rows = figures.map(
    (one) => `| ${one.scenario} | ${cell(one.what)} | ${cell(one.value)} | ${cell(one.bar ?? '')} |`,
  );
  return `## What breaks on purpose [#chaos]\n\nMeasured by \`make chaos\` on ${at.slice(0, 10)}: the real binary is killed, frozen, starved and flooded, and journals are compared afterwards.\n\n| Test | What | Value | Bar |\n|---|---|---|---|\n${rows.join('\n')}`;
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/[<>*_`]/g, '\\$&');
}

function round(value = 0): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : `${Math.round(value * 10) / 10}`;
}

function quoted(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
