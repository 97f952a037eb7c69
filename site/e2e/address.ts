/** The port of the first worker's server; SITE_E2E_PORT lets two runs live side by side. */
export const firstPort = Number(process.env.SITE_E2E_PORT ?? 8491);

/** A name of this machine that is not loopback, with the browser's rule for it: no secure context. */
export const name = 'nightbell.test';
export const nameRule = `--host-resolver-rules=MAP ${name} 127.0.0.1`;
