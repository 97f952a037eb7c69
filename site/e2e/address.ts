/** Where the browser tests serve the built site; SITE_E2E_PORT lets two runs live side by side. */
export const port = process.env.SITE_E2E_PORT ?? '8491';

/** The address that goes with it. */
export const address = `http://127.0.0.1:${port}`;
