import type { Logger } from './config.js';

/** Writes each kind of warning at most once a minute, with how many were not written. */
export class Warner {
  private readonly last = new Map<string, { at: number; hidden: number }>();

  constructor(private readonly logger: Logger = console) {}

  warn(kind: string, message: string): void {
    const now = Date.now();
    const last = this.last.get(kind);
    if (last && now - last.at < 60_000) {
      last.hidden++;
      return;
    }
    this.last.set(kind, { at: now, hidden: 0 });
    this.write(last?.hidden ? `${message} (${last.hidden} times more in the last minute)` : message);
  }

  debug(message: string): void {
    this.write(message);
  }

  private write(message: string): void {
    try {
      this.logger.warn(`nightbell: ${message}`);
    } catch {
      // A logger of the program is no reason to fail.
    }
  }
}
