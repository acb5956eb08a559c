/** A call that failed: the server's code and sentence (decision 18), or one of ours when nothing came back. */
export class ApiError extends Error {
  readonly code: string;
  readonly httpStatus: number;
  readonly data: unknown;
  /** Seconds after which the server wants to be asked again, where it says so. */
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

/** The server understood and said no: asking again brings the same answer. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus >= 400 && error.httpStatus < 500;
}

const TOO_MANY_REQUESTS = 429;

/** A refusal that a later call does not change, unlike that of a caller who asked too often. */
export function isFinalRefusal(error: unknown): boolean {
  return isRefusal(error) && (error as ApiError).httpStatus !== TOO_MANY_REQUESTS;
}

export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus === 404;
}

/** Codes that mean: this session is over, log in again. */
const SESSION_OVER: ReadonlySet<string> = new Set(['session.missing', 'session.wrong', 'session.expired']);

export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && SESSION_OVER.has(error.code);
}
