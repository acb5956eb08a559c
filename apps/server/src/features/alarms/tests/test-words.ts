import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';

/** Title and text of the message of an alarm test. */
export function testMessageWords(
  { policyName, level, assetName }: { policyName: string; level: number; assetName: string },
  language: Language,
  translate: Translate,
): { title: string; message: string } {
  const params = { policy: policyName, level };
  return {
    title: translate(language, 'messages.alarm-test.subject', params),
    message: translate(language, 'messages.alarm-test.push', {
      ...params,
      asset: assetName,
      hasAsset: assetName === '' ? 'no' : 'yes',
    }),
  };
}
