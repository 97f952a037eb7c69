#!/usr/bin/env node
import { main } from './cli.js';

const write = (stream: NodeJS.WriteStream) => (text: string) => void stream.write(text);

main(process.argv.slice(2), { out: write(process.stdout), err: write(process.stderr) }).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
