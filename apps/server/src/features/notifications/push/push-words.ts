import type { PushPayload } from '@isotherm/contracts/web-push';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';

/** The words of buttons and responses of a notification, which its browser has not in the language of the person. */
export const pushWords = (language: Language, translate: Translate): PushPayload['words'] => ({
  acknowledge: translate(language, 'push.acknowledge'),
  open: translate(language, 'push.open'),
  acknowledged: translate(language, 'push.acknowledged'),
  notAcknowledged: translate(language, 'push.not-acknowledged'),
});
