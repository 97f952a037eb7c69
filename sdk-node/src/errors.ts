/** What went wrong, in one word. */
export type ErrorKind =
  | 'config'
  | 'auth'
  | 'validation'
  | 'rate_limited'
  | 'server'
  | 'connection'
  | 'timeout'
  | 'api'
  | 'closed'
  | 'dropped';

/** One field that was refused. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** The base of every error that this package throws. */
export class NightbellError extends Error {
  readonly kind: ErrorKind;
  /** The id of the event that the call made, if it made one. */
  eventId?: string;
  /**
   * The background goes on trying under the same id: the page still goes out, and calling
   * again would make a second event.
   */
  queued = false;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.name = new.target.name;
  }
}

/** An option that cannot be right. Only the constructor throws it. */
export class ConfigError extends NightbellError {
  readonly option: string;
  readonly code: 'required' | 'bad_format' | 'out_of_range' | 'insecure';

  constructor(option: string, code: ConfigError['code'], message: string) {
    super('config', message);
    this.option = option;
    this.code = code;
  }
}

export interface ApiErrorDetails {
  status?: number | undefined;
  code?: string | undefined;
  requestId?: string | undefined;
  details?: FieldError[] | undefined;
}

/** The server answered, and not with what was asked for. */
export class ApiError extends NightbellError {
  /** Absent when the call was refused before it was sent. */
  readonly status: number | undefined;
  /** Such as `invalid_fields`. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly details: FieldError[];

  constructor(kind: ErrorKind, message: string, about: ApiErrorDetails = {}) {
    super(kind, message);
    this.status = about.status;
    this.code = about.code;
    this.requestId = about.requestId;
    this.details = about.details ?? [];
  }
}

/** The key was refused. Sending pauses. */
export class AuthError extends ApiError {
  constructor(message: string, about?: ApiErrorDetails) {
    super('auth', message, about);
  }
}

/** The event was refused; `details` names the fields. */
export class ValidationError extends ApiError {
  constructor(message: string, about?: ApiErrorDetails) {
    super('validation', message, about);
  }
}

/** Too many events. */
export class RateLimitError extends ApiError {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, about?: ApiErrorDetails, retryAfterMs?: number) {
    super('rate_limited', message, about);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server failed, or what answered is not Nightbell. */
export class ServerError extends ApiError {
  constructor(message: string, about?: ApiErrorDetails) {
    super('server', message, about);
  }
}

/** The server could not be reached. */
export class ConnectionError extends NightbellError {
  constructor(message: string, options?: ErrorOptions, kind: 'connection' | 'timeout' = 'connection') {
    super(kind, message, options);
  }
}

/** The server did not answer in time. */
export class TimeoutError extends ConnectionError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options, 'timeout');
  }
}

/** A call that is refused before anything is sent. */
export const invalid = (field: string, code: string, message: string): ValidationError =>
  new ValidationError(message, { code: 'invalid_fields', details: [{ field, code, message }] });
