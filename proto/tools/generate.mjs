// Generates into a folder beside the real ones, then copies what changed. A failure leaves
// everything as it was, unchanged files keep their times, and what is no longer defined goes.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeIndex } from './index.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fresh = join(root, 'proto/.generated');

function runBuf() {
  const run = spawnSync(
    'tools/node_modules/.bin/buf',
    ['generate', '--path', 'nightbell', '-o', '.generated/proto'],
    {
      cwd: join(root, 'proto'),
      stdio: 'inherit',
    },
  );
  if (run.status !== 0) process.exit(1);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
}

function same(a, b) {
  try {
    return readFileSync(a).equals(readFileSync(b));
  } catch {
    return false;
  }
}

function replaceTree(folder) {
  const from = join(fresh, folder);
  const to = join(root, folder);
  mkdirSync(to, { recursive: true });
  const wanted = new Set(filesIn(from));
  for (const name of filesIn(to)) if (!wanted.has(name)) rmSync(join(to, name));
  for (const name of wanted) {
    if (same(join(from, name), join(to, name))) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    cpSync(join(from, name), join(to, name));
  }
}

rmSync(fresh, { recursive: true, force: true });
mkdirSync(join(fresh, 'proto'), { recursive: true });
runBuf();
writeIndex(join(fresh, 'proto/gen/ts'));
for (const folder of ['api/gen/nightbell', 'proto/gen/ts']) replaceTree(folder);
rmSync(fresh, { recursive: true });
