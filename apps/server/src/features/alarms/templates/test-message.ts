import { AppError } from '@isotherm/contracts/errors';
import {
  MAX_TEMPLATE_TESTS,
  type MessageTemplateInput,
  type testMessageTemplate,
} from '@isotherm/contracts/message-templates';
import type { ResponseOf } from '@isotherm/contracts/route';
import { smsLength } from '@isotherm/domain/billing/sms-segments';
import type { PaidChannel } from '@isotherm/domain/notifications/voice-provider';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { SmsCharge, SmsGateway } from '../notifications/texts.ts';
import type { WechatSending } from '../wechat/deliver-wechat.ts';
import type { RenderDraft } from './render-draft.ts';
import { countTests, insertTest, markTestSettled, takeAbandonedTests } from './templates.repo.ts';
import { draftOf } from './templates.service.ts';

const DAY_MS = 86_400_000;
/** Time after which an attempt has certainly ended, so that its units are released if nobody has settled them. */
const ABANDONED_MS = 10 * 60_000;
/** An e-mail that cannot be delivered within an hour is no longer waited for. */
const EMAIL_LIFE_MS = 3_600_000;

type Outcome = ResponseOf<typeof testMessageTemplate>;
export type SendTemplateTest = (caller: Caller, form: MessageTemplateInput) => Promise<Outcome>;

/**
 * Creates the function that sends a text to its editor through the real notification channel. The text is marked as a
 * test, because the alarm that it is about may be over.
 */
export function createSendTemplateTest({
  pool,
  audit,
  clock,
  translate,
  render,
  messages,
  gateways,
  charge,
  wechat,
}: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  translate: Translate;
  render: RenderDraft;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  gateways: Readonly<Record<PaidChannel, SmsGateway>>;
  charge: SmsCharge;
  wechat: WechatSending;
}): SendTemplateTest {
  /** Counts the test, reserves its units and writes its entry. */
  async function begin(
    tx: Tx,
    caller: Caller & { accountId: number },
    form: MessageTemplateInput,
    units: number,
  ): Promise<number> {
    const now = clock.now();
    const { channel, organizationId } = form;
    if ((await countTests(tx, caller.accountId, new Date(now - DAY_MS))) >= MAX_TEMPLATE_TESTS)
      throw new AppError('message_template.too_many', { most: MAX_TEMPLATE_TESTS });
    await charge.settle(
      tx,
      (await takeAbandonedTests(tx, new Date(now - ABANDONED_MS))).map((id) => ({ causeId: -id, used: 0 })),
    );
    const id = await insertTest(tx, {
      accountId: caller.accountId,
      organizationId,
      channel,
      units,
      createdAt: new Date(now),
    });
    if (channel === 'sms' || channel === 'voice') {
      const paid = await charge.reserve(tx, [
        { causeId: -id, organizationId, commodity: channel, units, level: 0 },
      ]);
      if (!paid.has(-id)) throw new AppError('message_template.balance');
    }
    return id;
  }

  const log = (tx: Tx, caller: Caller, { channel, kind, language }: MessageTemplateInput) =>
    audit.record(tx, caller, {
      action: 'send-message',
      objectKind: 'message-template',
      objectId: 0,
      objectName: `${channel} · ${kind} · ${language}`,
      organizationPath: caller.scope,
    });

  return async (caller, form) => {
    const { accountId } = caller;
    if (accountId === null) throw new AppError('message_template.person_only');
    const person = { ...caller, accountId };
    const { channel, language } = form;
    const { text, variables, to } = await render(pool, caller, form.organizationId, draftOf(form));
    const marked = (body: string) => translate(language, 'message-templates.test-of', { text: body });

    if (channel === 'email') {
      if (!messages.canDeliver('email')) throw new AppError('message_template.transport');
      if (!to?.email) throw new AppError('message_template.unreachable');
      await transaction(pool, async (tx) => {
        await begin(tx, person, form, 0);
        await messages.enqueue(tx, {
          channel: 'email',
          recipient: to.email,
          template: 'alarm-test',
          params: {
            policy: '-',
            level: 0,
            asset: '',
            hasAsset: 'no',
            account: 'yes',
            link: '',
            hasLink: 'no',
          },
          ownText: { subject: marked(text.subject), text: text.body },
          language,
          organizationId: to.organizationId,
          expiresAt: new Date(clock.now() + EMAIL_LIFE_MS),
        });
        await log(tx, caller, form);
      });
      return { outcome: 'queued', error: '', recipient: to.email };
    }

    if (channel === 'wechat') {
      const [user] = await wechat.reachable(pool, [{ type: 'accounts', id: accountId }]);
      if (!user?.isSubscribed) throw new AppError('message_template.unreachable');
      const id = await transaction(pool, async (tx) => {
        const made = await begin(tx, person, form, 0);
        await log(tx, caller, form);
        return made;
      });
      const outcome = await wechat.send({
        id: `template-${id}`,
        openId: user.openId,
        language,
        variables: { ...variables, text: marked(text.body) },
        template: text.providers.wechat,
        url: null,
      });
      const isSent = outcome.kind === 'sent';
      return { outcome: isSent ? 'sent' : 'failed', error: isSent ? '' : outcome.error, recipient: '' };
    }

    const gateway = gateways[channel];
    if (!(await gateway.canSend())) throw new AppError('message_template.transport');
    if (!to?.mobile) throw new AppError('message_template.unreachable');
    const body = marked(text.body);
    const units = channel === 'voice' ? 1 : smsLength(body).segments;
    const id = await transaction(pool, async (tx) => {
      const made = await begin(tx, person, form, units);
      await log(tx, caller, form);
      return made;
    });
    const { attempts } = await gateway.send({
      id: `template-${id}`,
      number: to.mobile,
      text: body,
      prompt: '',
      language,
      variables,
      templates: text.providers,
    });
    const outcome = attempts.at(-1)?.outcome ?? { kind: 'unavailable' as const, error: 'no transport' };
    const isSent = outcome.kind === 'sent';
    await transaction(pool, async (tx) => {
      if (await markTestSettled(tx, id))
        await charge.settle(tx, [{ causeId: -id, used: isSent ? units : 0 }]);
    });
    return { outcome: isSent ? 'sent' : 'failed', error: isSent ? '' : outcome.error, recipient: to.mobile };
  };
}
