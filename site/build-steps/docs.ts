import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root, texts } from '@nightbell/docs';
import { close, createIndex } from 'pagefind';

/** What stands beside the pages of the documentation: their Markdown, llms.txt, and the index that is searched. */
export async function finishDocs(client: string): Promise<void> {
  for (const { path, text } of texts()) {
    await mkdir(dirname(join(client, path)), { recursive: true });
    await writeFile(join(client, path), text);
  }
  await cp(join(root, 'docs-mdx/pictures'), join(client, 'docs/pictures'), { recursive: true });
  // The pages carry no React, so nobody asks for their data.
  const files = await readdir(client, { recursive: true });
  await Promise.all(
    files.filter((file) => /^docs(\/.*)?\.data$/.test(file)).map((file) => rm(join(client, file))),
  );
  const { index } = await createIndex({});
  if (!index) throw new Error('Pagefind made no index.');
  const { errors } = await index.addDirectory({ path: client, glob: 'docs/**/*.html' });
  if (errors.length > 0) throw new Error(errors.join('\n'));
  await index.writeFiles({ outputPath: join(client, 'pagefind') });
  await close();
  // Its own screens are not used.
  const found = await readdir(join(client, 'pagefind'));
  const unused = found.filter((file) => /^pagefind-(ui|modular|component|highlight)/.test(file));
  await Promise.all(unused.map((file) => rm(join(client, 'pagefind', file))));
}
