import { randomToken } from './device';

/**
 * The idempotency key of a press: the same for as long as the same is pressed again and no answer has come, so that
 * what was carried out once is not carried out twice when only its answer was lost. After `goodFor` milliseconds the
 * same is another press, though the server would replay it.
 */
export class PressKey {
  private last = { of: '', key: '', at: 0 };

  constructor(private readonly goodFor = Number.POSITIVE_INFINITY) {}

  /** The key to send this as. */
  keyOf(of: string): string {
    const at = Date.now();
    if (of !== this.last.of || at - this.last.at > this.goodFor) this.last = { of, key: randomToken(), at };
    return this.last.key;
  }

  /** The answer to what was sent with a key has come: the next press is a new one. */
  answered(key: string): void {
    if (this.last.key === key) this.forget();
  }

  /** The next press is a new one. */
  forget(): void {
    this.last = { of: '', key: '', at: 0 };
  }
}
