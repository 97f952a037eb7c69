import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const longest = 1_500;

/** Says after the last test what failed, and why: the log of a run is long, and its end is what is kept. */
// biome-ignore lint/style/noDefaultExport: Playwright finds a reporter by it.
export default class FailuresAtTheEnd implements Reporter {
  private readonly failed: { test: TestCase; result: TestResult }[] = [];

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== test.expectedStatus && result.status !== 'skipped')
      this.failed.push({ test, result });
  }

  onEnd(): void {
    for (const { test, result } of this.failed) {
      const why = result.errors
        .map(({ message, snippet }) => `${message ?? ''}\n${snippet ?? ''}`)
        .join('\n');
      process.stdout.write(
        `\n${test.location.file}:${test.location.line} ${test.title}\n${why.slice(0, longest)}\n`,
      );
    }
  }

  printsToStdio(): boolean {
    return false;
  }
}
