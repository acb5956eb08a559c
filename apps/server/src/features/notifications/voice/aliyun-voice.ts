import type { SmsProviderInput } from '@isotherm/contracts/sms-providers';
import { aliyunNumber, judgeAliyun, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { Clock } from '../../../platform/clock.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { callAliyun, templateOf } from '../sms/aliyun.ts';
import type { SmsMessage } from '../sms/sms-message.ts';
import { withTemplate } from '../sms/with-template.ts';

type Settings = Parameters<typeof templateOf>[0] & Pick<SmsProviderInput, 'url' | 'keyId' | 'sender'>;

/** How often a call says its text. */
const TIMES = '2';

/**
 * Calls by `SingleCallByTts` of Aliyun VMS, version 2017-05-25. The text is that of the provider's template. Without a number
 * to show, Aliyun chooses one of its own.
 */
export function callByAliyun(
  outgoing: Pick<Outgoing, 'ask'>,
  clock: Clock,
  settings: Settings,
  secret: string,
  message: SmsMessage,
): Promise<SmsOutcome> {
  const usual = { templateId: templateOf(settings, message.language), parameters: message.variables };
  return withTemplate(message.templates?.aliyun, usual, ({ templateId, parameters }) => {
    const call: Record<string, string> = {
      Action: 'SingleCallByTts',
      OutId: message.id,
      CalledNumber: aliyunNumber(message.number),
      PlayTimes: TIMES,
      TtsCode: templateId,
      TtsParam: JSON.stringify(parameters),
    };
    if (settings.sender !== '') call.CalledShowNumber = settings.sender;
    return callAliyun(outgoing, clock, settings, secret, call, (response) => judgeAliyun(response, 'CallId'));
  });
}
