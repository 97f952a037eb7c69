/** Where the browser tests serve the built site; SITE_E2E_PORT lets two runs live side by side. */
export const port = process.env.SITE_E2E_PORT ?? '8491';

/** The address that goes with it. */
export const address = `http://127.0.0.1:${port}`;

/** The same by a name, with the browser's rule for it: an address that is no secure context. */
export const namedAddress = `http://nightbell.test:${port}`;
export const nameRule = '--host-resolver-rules=MAP nightbell.test 127.0.0.1';
