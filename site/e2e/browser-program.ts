import { existsSync } from 'node:fs';

// Without a window there is none to draw: the same engine, tests in three quarters of the time.
const shell = '/usr/bin/chromium-headless-shell';

/** Debian's Chromium, its headless shell where that is installed; CHROMIUM names another. */
export const browserProgram = process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium');
