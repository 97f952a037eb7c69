import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds docs-mdx, found by walking up because a bundler moves this file. */
export const root = findRoot();

/** The text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Whether the repository has a file or folder. */
export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** Where a reader sees a file of the repository. */
export function onTheWeb(path: string): string {
  return `https://github.com/nightbell/nightbell/blob/main/${path}`;
}

function findRoot(): string {
  for (const start of [dirname(fileURLToPath(import.meta.url)), process.cwd()]) {
    for (let at = start; at !== dirname(at); at = dirname(at)) {
      if (existsSync(join(at, 'docs-mdx/binder/repository.ts'))) return at;
    }
  }
  throw new Error('The folder docs-mdx of the repository was not found.');
}
