/** What became of a message to one browser or app, or of a notification to all of an account. */
export type PushOutcome =
  | { kind: 'sent' }
  /** The subscription or the registration does not exist any more. */
  | { kind: 'gone' }
  | { kind: 'refused'; error: string }
  /** Not accepted now; a later attempt may succeed, not before the pause that the service asks for. */
  | { kind: 'unavailable'; error: string; pauseMs?: number };

/** Largest number of browsers of an account. */
export const MAX_BROWSERS = 10;

/**
 * Judges the response of a push service (RFC 8030, 7.3 and 8.4).
 *
 * @param pauseMs time for which the service asks to wait; null if it does not
 */
export function pushResponse(status: number, pauseMs: number | null = null): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const error = `HTTP ${status}`;
  return status === 408 || status === 429 || status >= 500
    ? { kind: 'unavailable', error, ...(pauseMs === null ? {} : { pauseMs }) }
    : { kind: 'refused', error };
}

/**
 * Outcome of a notification that was sent to several browsers and apps. One that accepted it is enough; otherwise the notification
 * is tried again as long as one of them may accept it later.
 */
export function pushOutcome(outcomes: readonly PushOutcome[]): PushOutcome {
  const first = (kind: PushOutcome['kind']) => outcomes.find((outcome) => outcome.kind === kind);
  return first('sent') ?? first('unavailable') ?? first('refused') ?? { kind: 'gone' };
}

/** Largest number of characters of the title and the text of a notification; a message has room for 4 KB. */
export const PUSH_TITLE_LENGTH = 120;
export const PUSH_TEXT_LENGTH = 500;

/** Shortens a text to a number of characters, without dividing one. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
