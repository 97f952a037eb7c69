// Sets the version of an SDK wherever it stands, and says how to release it:
//   node .github/version-sdk.mjs node|python|go 1.2.3
//   node .github/version-sdk.mjs middleware 1.2.3   (Go's, after that version of sdk-go was released)
//   node .github/version-sdk.mjs --check sdk-node/v1.2.3   (whether a tag names what is there)
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const core = 'github.com/nightbell/nightbell/sdk-go';
const middleware = ['nightbellgin', 'nightbellecho', 'nightbellfiber'].map((name) => `sdk-go/${name}`);
/** Each place, with what stands around the version. */
const places = {
  node: [
    ['sdk-node/package.json', '"version": "', '"'],
    ['sdk-node/src/transport.ts', "export const version = '", "'"],
  ],
  python: [['sdk-python/src/nightbell/version.py', '__version__ = "', '"']],
  go: [['sdk-go/doc.go', 'const Version = "', '"']],
};

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Where the version stands in a file: its text before, the version, its text after. */
function split([file, before, after]) {
  const text = readFileSync(root + file, 'utf8');
  const at = text.indexOf(before) + before.length;
  const end = text.indexOf(after, at);
  if (at < before.length || end < 0) fail(`${file} does not hold ${before}...${after}`);
  return [text.slice(0, at), text.slice(at, end), text.slice(end)];
}

function check(tag) {
  const [, folder, version] = /^(.+)\/v([^/]+)$/.exec(tag) ?? fail(`${tag} is not folder/v1.2.3`);
  if (middleware.includes(folder)) return;
  const sdk = /^sdk-(node|python|go)$/.exec(folder)?.[1] ?? fail(`${folder} is not the folder of an SDK`);
  for (const place of places[sdk]) {
    const [, found] = split(place);
    if (found !== version) fail(`${place[0]} says ${found}, the tag ${version}`);
  }
}

const [what, given] = process.argv.slice(2);
if (what === '--check' && given) {
  check(given);
} else if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(given ?? '')) {
  fail('Give node, python, go or middleware, and a version such as 1.2.3');
} else if (what === 'middleware') {
  for (const folder of middleware) {
    const go = (...args) =>
      execFileSync('go', args, {
        cwd: root + folder,
        env: { ...process.env, GOWORK: 'off' },
        stdio: 'inherit',
      });
    go('get', `${core}@v${given}`);
    go('mod', 'tidy');
  }
  console.log(
    `Commit, then:\n${middleware.map((folder) => `git tag ${folder}/v${given} && git push origin ${folder}/v${given}`).join('\n')}`,
  );
} else if (places[what]) {
  for (const place of places[what]) {
    const [before, , after] = split(place);
    writeFileSync(root + place[0], before + given + after);
  }
  console.log(
    `Commit, then:\ngit tag sdk-${what}/v${given} && git push origin sdk-${what}/v${given}${what === 'go' ? `\nand after it: node .github/version-sdk.mjs middleware ${given}` : ''}`,
  );
} else {
  fail('Give node, python, go or middleware');
}
