import type { FullConfig, Reporter, Suite, TestCase } from '@playwright/test/reporter';
import { elsewhere } from './elsewhere';

const kinds = ['visitor', 'demo', 'empty', 'bare', 'own', 'elsewhere', 'documentation'] as const;
interface Told {
  section: string;
  kind: (typeof kinds)[number];
  line: string;
}

/** Prints every sentence of the specification that is observed, and counts them by section and by who looks. */
// biome-ignore lint/style/noDefaultExport: Playwright finds a reporter by it.
export default class List implements Reporter {
  onBegin(_config: FullConfig, suite: Suite): void {
    const told = [
      ...suite.allTests().flatMap(toldBy),
      ...elsewhere.map(([section, sentence, file, test]): Told => {
        return {
          section: `${section}`,
          kind: 'elsewhere',
          line: `${section} ${sentence} <- ${file}: ${test}`,
        };
      }),
    ].toSorted((a, b) => a.section.localeCompare(b.section));
    const sections = [...new Set(told.map(({ section }) => section))];
    const lines = [
      ...told.map(({ line }) => line),
      '',
      `section   ${kinds.map((kind) => kind.padStart(14)).join('')}${'all'.padStart(8)}`,
      ...sections.map((section) =>
        counted(
          section,
          told.filter((one) => one.section === section),
        ),
      ),
      counted('all', told),
    ];
    console.log(lines.join('\n'));
  }

  printsToStdio(): boolean {
    return true;
  }
}

// The titles of the documentation's begin with the word Section, all others with its number.
function toldBy(test: TestCase): Told[] {
  const line = test.titlePath().slice(3).join(' ');
  const documentation = /^Section (\d)/.exec(line)?.[1];
  if (documentation) return [{ section: documentation, kind: 'documentation', line }];
  const [, section, who] = /^(\d) [^(]*\((\w+)\)/.exec(line) ?? [];
  const kind = kinds.find((one) => one === who);
  return section && kind ? [{ section, kind, line }] : [];
}

function counted(name: string, of: readonly Told[]): string {
  const counts = kinds.map((kind) => `${of.filter((one) => one.kind === kind).length}`.padStart(14));
  return `${name.padEnd(10)}${counts.join('')}${`${of.length}`.padStart(8)}`;
}
