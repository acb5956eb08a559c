import { fixed, formatDuration, shareWords } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import { clockIn } from '../../../platform/local-time.ts';
import { NONE } from '../record-words.ts';

/** Words and numbers of a report in a language and a time zone; unknown ones are a dash. */
export function reportTexts(language: Language, zone: string, translate: Translate) {
  const text = (id: TextId, values?: Record<string, string | number>) => translate(language, id, values);
  const clock = clockIn(zone);
  const moment = (at: Date) => clock(at).replace('T', ' ');
  return {
    text,
    moment,
    short: (at: Date | null) => (at === null ? NONE : moment(at).slice(0, 16)),
    count: (value: number) => fixed(value, 0, language),
    duration: (ms: number | null) => (ms === null ? NONE : formatDuration(ms, text)),
    share: (part: number, whole: number) => (whole > 0 ? shareWords(Math.min(1, part / whole)) : NONE),
  };
}
