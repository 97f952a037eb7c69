import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { name } from './address';
import { type Caller, logIn, register } from './caller';

const binary = process.env.NIGHTBELL_BIN ?? join(import.meta.dirname, '../../bin/nightbell');

/** How to sign in to the demo workspace of every server of the browser tests. */
export const owner = { email: 'mara@nightbell.example', password: 'nine lamps under the bridge' };

// Patience for a slow machine: a start takes a few seconds.
const startLimit = 60_000;
// An access token is good for 15 minutes; no test takes the rest.
const freshFor = 5 * 60_000;

/** A server of the product, with its own PostgreSQL and the demo workspace. */
export class Nightbell {
  readonly url: string;
  /** The same by a name: what browsers call no secure context. */
  readonly namedUrl: string;
  private signedIn: { caller: Caller; until: number } | null = null;

  private constructor(
    private readonly dir: string,
    port: number,
    private readonly server: ChildProcess,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.namedUrl = `http://${name}:${port}`;
  }

  /** Starts one on a port, in two seconds. A copied folder would be faster, and pages nobody, as a restored copy must. */
  static async start(port: number, settings: Record<string, string> = {}): Promise<Nightbell> {
    const dir = mkdtempSync(join(tmpdir(), 'nightbell-e2e-'));
    // PostgreSQL refuses to run as root: it gets an account of its own, which must get there.
    chmodSync(dir, 0o755);
    const log = openSync(join(dir, 'log'), 'a');
    const server = spawn(binary, ['serve', '--demo'], {
      stdio: ['ignore', log, log],
      // Nothing of this machine's own set-up may leak in.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NIGHTBELL_LISTEN: `127.0.0.1:${port}`,
        NIGHTBELL_DATA_DIR: join(dir, 'data'),
        NIGHTBELL_DEMO_PASSWORD: owner.password,
        ...settings,
      },
    });
    const nightbell = new Nightbell(dir, port, server);
    await nightbell.ready();
    return nightbell;
  }

  /** Somebody of the demo workspace: its owner, signed in for long enough. Never sign out with it. */
  async owner(): Promise<Caller> {
    if (!this.signedIn || this.signedIn.until < Date.now())
      this.signedIn = { caller: await this.logIn(), until: Date.now() + freshFor };
    return this.signedIn.caller;
  }

  /** A sign-in of the owner that is the test's alone. */
  logIn(): Promise<Caller> {
    return logIn(this.url, owner.email, owner.password);
  }

  /** The owner of a new organization, in which nothing has happened. */
  register(): Promise<Caller> {
    return register(this.url);
  }

  /** Ends the server and waits until it has. What it logged as errors is a fault. */
  async stop(): Promise<void> {
    const ended = once(this.server, 'exit');
    if (this.server.exitCode === null) {
      this.server.kill('SIGTERM');
      await ended;
    }
    const errors = this.log().filter((line) => line.includes('level=ERROR'));
    rmSync(this.dir, { recursive: true, force: true });
    if (errors.length > 0) throw new Error(`the server logged errors:\n${errors.join('\n')}`);
  }

  private log(): string[] {
    return readFileSync(join(this.dir, 'log'), 'utf8').split('\n');
  }

  private async ready(): Promise<void> {
    const until = Date.now() + startLimit;
    let failure: unknown;
    this.server.on('error', (error) => {
      failure = error;
    });
    while (!(await this.answers())) {
      const over = this.server.exitCode !== null || failure || Date.now() > until;
      if (over) throw new Error(`${binary} did not start: ${failure ?? this.log().join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private answers(): Promise<boolean> {
    return fetch(`${this.url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  }
}
