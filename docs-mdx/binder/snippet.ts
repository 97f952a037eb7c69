import { DocsFault } from './fault';
import { exists, read } from './repository';

/** What proves a block: a test that runs it, or a library of its format that reads it. */
export interface Proof {
  test: string;
  run: string;
  /** `Checked`: it cannot run here, and its own format's reader accepts it. */
  word: 'Tested' | 'Checked';
}

/** Every file, or `file#region`, that pages may show, and the test that executes it: docs-mdx/tested.json. */
export type Proofs = Record<string, { test: string; run: string; checked?: true }>;

/** A block of code as a page shows it. */
export interface Snippet {
  file: string;
  region: string | undefined;
  language: string;
  code: string;
  proof: Proof;
}

const open = /^\s*(?:\/\/|#|--)\s*#?region\s+([\w-]+)\s*$/;
const close = /^\s*(?:\/\/|#|--)\s*#?endregion\b/;

/** The lines of a region, without their common indentation and without markers inside. No region: all lines. */
export function extract(source: string, region: string | undefined): string {
  const lines = source.replace(/\n$/, '').split('\n');
  if (!region) return dedent(lines.filter((line) => !open.test(line) && !close.test(line)));
  const start = lines.findIndex((line) => open.exec(line)?.[1] === region);
  if (start < 0) throw new Error(`has no region ${region}`);
  const found: string[] = [];
  for (let depth = 1, n = start + 1; ; n++) {
    const line = lines[n];
    if (line === undefined) throw new Error(`does not end its region ${region}`);
    if (close.test(line)) {
      if (--depth === 0) return dedent(found);
    } else if (open.test(line)) depth++;
    else found.push(line);
  }
}

/** The block that a fence names, or the fault that stops the build. */
export function snippet(
  proofs: Proofs,
  at: { page: string; line: number | undefined },
  fence: { language: string | null | undefined; file: string; region?: string | undefined },
): Snippet {
  const fault = (message: string) => new DocsFault(at.page, at.line, message);
  if (!fence.language) throw fault(`the block of ${fence.file} names no language`);
  if (fence.file.startsWith('/') || fence.file.includes('..') || !exists(fence.file))
    throw fault(`there is no file ${fence.file} in the repository`);
  const proof = proofs[`${fence.file}#${fence.region}`] ?? proofs[fence.file];
  if (!proof) throw fault(`no test executes ${fence.file}; add one and name it in docs-mdx/tested.json`);
  let code: string;
  try {
    code = extract(read(fence.file), fence.region);
  } catch (problem) {
    throw fault(`${fence.file} ${(problem as Error).message}`);
  }
  return {
    file: fence.file,
    region: fence.region,
    language: fence.language,
    code,
    proof: { test: proof.test, run: proof.run, word: proof.checked ? 'Checked' : 'Tested' },
  };
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  return lines
    .map((line) => line.slice(Math.min(common, line.length)))
    .join('\n')
    .replace(/^\n+|\s+$/g, '');
}
