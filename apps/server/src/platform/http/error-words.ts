import type { AppError } from '@isotherm/contracts/errors';
import type { Language } from '@isotherm/i18n/languages';
import { permissionWords, type Say } from '@isotherm/i18n/permission-words';
import type { Translate } from '@isotherm/i18n/translator';

/** Returns the message of an error in a language; permissions are named as in the console. */
export function wordError(
  { code, params }: Pick<AppError, 'code' | 'params'>,
  language: Language,
  translate: Translate,
): string {
  const say: Say = (id, values) => translate(language, id, values);
  const named = (codes: string) =>
    codes
      .split(', ')
      .map((each) => permissionWords(each, say))
      .join(say('logs.value.between'));
  const worded = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' && (name === 'permission' || name === 'permissions') ? named(value) : value,
  ]);
  return say(`errors.${code}`, Object.fromEntries(worded));
}
