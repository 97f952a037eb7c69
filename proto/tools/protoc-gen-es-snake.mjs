#!/usr/bin/env node
// Runs protoc-gen-es with every JSON name set to the field's own name. REST answers are
// snake_case, so the generated JSON types must be too, without json_name on every field.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema } from '@bufbuild/protobuf/wkt';

const request = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));

function keepNames(message) {
  for (const field of message.field) field.jsonName = field.name;
  message.nestedType.forEach(keepNames);
}
for (const file of [...request.protoFile, ...request.sourceFileDescriptors]) {
  if (file.package.startsWith('nightbell.')) file.messageType.forEach(keepNames);
}

const manifest = createRequire(import.meta.url).resolve('@bufbuild/protoc-gen-es/package.json');
const plugin = new URL('bin/protoc-gen-es', `file://${manifest}`);
const run = spawnSync(process.execPath, [plugin.pathname], {
  input: toBinary(CodeGeneratorRequestSchema, request),
  stdio: ['pipe', 'pipe', 'inherit'],
  maxBuffer: 1 << 28,
});
process.stdout.write(run.stdout);
process.exitCode = run.status ?? 1;
