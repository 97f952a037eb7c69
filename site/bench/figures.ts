import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** Milliseconds of one kind, and what half and nearly all of them stay below. */
export interface Figure {
  name: string;
  /** Most that 95 of 100 may take. */
  bar: number;
  samples: number[];
}

/** The value that a share of the sorted samples stays below: the nearest rank, so always one that was measured. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Writes what was measured, as the other benches do; worst is the 95th percentile. */
export function writeFigures(file: string, figures: readonly Figure[]): void {
  const rounded = (value: number) => Math.round(value * 10) / 10;
  const targets = figures.map(({ name, bar, samples }) => {
    const worst = rounded(quantile(samples, 0.95));
    return {
      name: `${name}, ms`,
      median: rounded(quantile(samples, 0.5)),
      worst,
      bar,
      at_most: true,
      reached: worst <= bar,
      samples: samples.length,
    };
  });
  const machine = {
    processor: /EPYC/.test(cpus()[0]?.model ?? '') ? 'AMD EPYC' : (cpus()[0]?.model ?? ''),
    processors: cpus().length,
    memory_gib: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    kernel: release(),
    node: process.version,
    // Above the number of processors, something else was running: the figures are worse than the site.
    load_average: rounded(loadavg()[0] ?? 0),
  };
  const report = { machine, date: `${new Date().toISOString().slice(0, 19)}Z`, targets };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  console.log(readFileSync(file, 'utf8'));
}
