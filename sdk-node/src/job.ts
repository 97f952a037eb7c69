import { type Duration, wholeSeconds } from './duration.js';
import { invalid } from './errors.js';
import { pingItem } from './heartbeat.js';
import { newId } from './id.js';
import { whenDone } from './monitor.js';
import type { Pipeline } from './pipeline.js';

/** When a job runs, so that Nightbell notices when it does not. */
export interface JobOptions {
  /** Such as `0 3 * * *`. */
  schedule?: string | undefined;
  timeZone?: string | undefined;
  maxRuntime?: Duration | undefined;
}

/** Runs `fn` and says that it starts and how it ended, under one run id. Its result or error passes through. */
export function runJob<T>(pipeline: Pipeline, name: string, options: JobOptions, fn: () => T): T {
  if (!name) throw invalid('name', 'required', 'Give the job a name.');
  if (!pipeline.on) return fn();
  const run_id = newId();
  pipeline.enqueue(
    pingItem(name, {
      status: 'start',
      run_id,
      schedule: options.schedule,
      time_zone: options.timeZone,
      max_runtime_seconds: options.maxRuntime === undefined ? undefined : wholeSeconds(options.maxRuntime),
    }),
  );
  return whenDone(fn, (failed) =>
    pipeline.enqueue(pingItem(name, { status: failed ? 'fail' : 'ok', run_id })),
  );
}
