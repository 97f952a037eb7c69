import { Nightbell } from './client.js';
import type { Options } from './config.js';
import { setClient } from './default.js';

/** Makes the client that `getClient` returns and that middleware takes when it is given none. */
export function init(options: Options = {}): Nightbell {
  const client = new Nightbell(options);
  setClient(client);
  return client;
}

export type { Answer, Kind } from './answer.js';
export type { CaptureContext } from './capture.js';
export type { Logger, Options, Settings } from './config.js';
export { getClient } from './default.js';
export type { Duration } from './duration.js';
export {
  ApiError,
  AuthError,
  ConfigError,
  ConnectionError,
  type ErrorKind,
  type FieldError,
  NightbellError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './errors.js';
export type {
  Breadcrumb,
  Change,
  Event,
  Exception,
  Frame,
  Incident,
  IncidentResult,
  Link,
  Severity,
  Tree,
  User,
} from './event.js';
export type { HeartbeatOptions, PingOptions } from './heartbeat.js';
export type { JobOptions } from './job.js';
export type { Metric, Performance, Ratio, Running, Shares } from './monitor.js';
export type { DropReason, FlushResult, Stats } from './pipeline.js';
export type { Context } from './scope.js';
export type { CallOptions } from './send.js';
export { type Request, type Transport, version } from './transport.js';
export { Nightbell };
