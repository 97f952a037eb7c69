import type { Nightbell } from './client.js';

// One for the process, however often this package is loaded (ESM, CommonJS, subpaths).
const key = Symbol.for('nightbell.client.v1');
const shared = globalThis as { [key]?: Nightbell };

/** The client that `init` made. */
export const getClient = (): Nightbell | undefined => shared[key];

export const setClient = (client: Nightbell): void => {
  shared[key] = client;
};
