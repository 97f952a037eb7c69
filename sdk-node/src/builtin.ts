interface Modules {
  crypto: typeof import('node:crypto');
  fs: typeof import('node:fs');
  http: typeof import('node:http');
  https: typeof import('node:https');
  net: typeof import('node:net');
  os: typeof import('node:os');
  path: typeof import('node:path');
  tls: typeof import('node:tls');
  worker_threads: typeof import('node:worker_threads');
  zlib: typeof import('node:zlib');
}

/**
 * Modules of Node that are loaded when they are first needed, so that importing this package
 * costs little and a bundler sees nothing to bundle.
 */
export const builtin = <Name extends keyof Modules>(name: Name): Modules[Name] =>
  process.getBuiltinModule(`node:${name}`) as unknown as Modules[Name];
