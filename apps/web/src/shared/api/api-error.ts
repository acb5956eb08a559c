/**
 * Error of a failed call, with the code and the message of the server (decision 18). If there was no
 * response, the client sets them.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly httpStatus: number;
  readonly data: unknown;
  /** The Retry-After header in seconds; null if the server did not send it. */
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

/** Returns true if the server refused the request, so that repeating it gives the same response. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus >= 400 && error.httpStatus < 500;
}

const TOO_MANY_REQUESTS = 429;

/** Returns true for a permanent error. A retry does not help, in contrast to a rate limit. */
export function isFinalRefusal(error: unknown): boolean {
  return isRefusal(error) && (error as ApiError).httpStatus !== TOO_MANY_REQUESTS;
}

export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus === 404;
}

/** Codes that say that the session has ended and the user must log in again. */
const SESSION_OVER: ReadonlySet<string> = new Set(['session.missing', 'session.wrong', 'session.expired']);

export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && SESSION_OVER.has(error.code);
}
