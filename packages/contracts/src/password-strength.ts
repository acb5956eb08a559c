import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

const judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Longest text that is rated. Longer texts take more time and are not weak. */
const JUDGED_LENGTH = 64;

export interface PasswordStrength {
  /** Score from 0 (guessed immediately) to 4. */
  score: 0 | 1 | 2 | 3 | 4;
  /**
   * True if the password is on the lists that attackers try first, or repeats a word that is connected with
   * the person.
   */
  common: boolean;
}

/**
 * Returns the strength of a password, and whether it is a common one that is refused (requirements §5).
 * `own` are words connected with the person: account, names, mobile number. The dictionary is large, so the
 * console loads this file only where a password is chosen.
 */
export function judgePassword(password: string, own: readonly string[] = []): PasswordStrength {
  const { score, sequence } = judge.check(
    password.slice(0, JUDGED_LENGTH),
    own.filter((word) => word.length > 2),
  );
  const [only] = sequence;
  const common = sequence.length === 1 && only !== undefined && only.pattern === 'dictionary' && score < 2;
  return { score: score as PasswordStrength['score'], common };
}
