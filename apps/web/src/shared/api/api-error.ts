/** A failed call: the server's code and message (decision 18), or ours if there was no response. */
export class ApiError extends Error {
  readonly code: string;
  readonly httpStatus: number;
  readonly data: unknown;
  /** Retry-After in seconds, if the server gave it. */
  readonly retryAfterS: number | null;

  constructor(
    code: string,
    message: string,
    httpStatus: number,
    data: unknown = null,
    retryAfterS: number | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.httpStatus = httpStatus;
    this.data = data;
    this.retryAfterS = retryAfterS;
  }
}

/** The server refused the request: repeating it gives the same answer. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus >= 400 && error.httpStatus < 500;
}

const TOO_MANY_REQUESTS = 429;

/** A permanent error: a retry does not help, in contrast to a rate limit. */
export function isFinalRefusal(error: unknown): boolean {
  return isRefusal(error) && (error as ApiError).httpStatus !== TOO_MANY_REQUESTS;
}

export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus === 404;
}

/** Codes of an ended session: log in again. */
const SESSION_OVER: ReadonlySet<string> = new Set(['session.missing', 'session.wrong', 'session.expired']);

export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && SESSION_OVER.has(error.code);
}
