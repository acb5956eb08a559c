import type {
  TemplateChannel,
  TemplateKind,
  TemplateVariable,
} from '@isotherm/domain/notifications/message-template';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';

const slot = (name: TemplateVariable) => `{{${name}}}`;

/** Code of the kind in the built-in texts. */
const WHAT = { alarm: 'raised', reminder: 'repeated', ended: 'ended' } as const;

/** The built-in text with variables instead of values, as a start for an own one. */
export function builtInText(
  channel: TemplateChannel,
  kind: TemplateKind,
  language: Language,
  translate: Translate,
): { subject: string; body: string } {
  if (kind === 'test') {
    const params = {
      policy: slot('policy'),
      level: slot('level'),
      asset: slot('asset'),
      hasAsset: 'yes',
      account: 'yes',
      link: slot('link'),
      hasLink: 'yes',
    };
    return {
      subject: translate(language, 'messages.alarm-test.subject', params),
      body: `${slot('test')}\n\n${translate(language, 'messages.alarm-test.text', params)}`,
    };
  }
  const params = {
    what: WHAT[kind],
    late: 'no',
    level: slot('level'),
    asset: slot('asset'),
    fault: slot('fault'),
    reason: slot('reason'),
    facts: slot('details'),
    link: slot('link'),
    hasLink: 'yes',
    acknowledgeLink: slot('acknowledge'),
    hasAcknowledgeLink: kind === 'ended' ? 'no' : 'yes',
  };
  const subject = translate(language, 'messages.alarm-notification.subject', params);
  if (channel === 'email')
    return { subject, body: translate(language, 'messages.alarm-notification.text', params) };
  const body = translate(language, 'messages.alarm-sms.text', {
    subject,
    value: slot('value'),
    hasValue: 'yes',
    time: slot('time'),
  });
  return { subject: '', body };
}
