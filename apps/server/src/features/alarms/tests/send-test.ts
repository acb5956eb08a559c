import type { PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import { GIVEN_UP_AFTER_MS, POPUP_WAIT_MS } from '@isotherm/domain/alarms/notification';
import { personKey } from '@isotherm/domain/alarms/person';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/pool.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { findReachable } from '../notifications/notifications.repo.ts';
import { fillTemplate, type OwnTexts, testValues } from '../templates/own-texts.ts';
import { findOrganizationName } from '../templates/templates.repo.ts';
import { peopleOfStep } from './recipients.repo.ts';
import { insertTest, insertTestMessage, type NewTest, type NewTestMessage } from './tests.repo.ts';

/** What a test is about; its time is that of the clock. */
export type WantedTest = Omit<NewTest, 'startedAt'> & {
  definition: PolicyDefinition | null;
  /** Path of the organisation of the policy, which owns the addresses of URL pushes. */
  policyPath: string;
};

/** Starts a test in a transaction; returns its id. */
export type SendTest = (tx: Tx, test: WantedTest) => Promise<number>;

/** True if the step of this level notifies somebody. */
export function notifies(definition: PolicyDefinition | null, level: number): boolean {
  const step = definition?.steps.find((each) => each.level === level);
  return (step?.channels ?? []).length > 0;
}

/**
 * Creates the function that sends tests. E-mails are passed to the message outbox in the transaction, URL pushes are
 * left to the workers. A test is sent at once, also in quiet hours, and does not count for the daily limit.
 */
export function createSendTest({
  messages,
  clock,
  consoleUrl,
  ownTexts,
  translate,
}: {
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  clock: Clock;
  consoleUrl: string | null;
  ownTexts: OwnTexts;
  translate: Translate;
}): SendTest {
  return async (tx, wanted) => {
    const now = clock.now();
    const at = new Date(now);
    const testId = await insertTest(tx, { ...wanted, startedAt: at });
    const { definition, level } = wanted;
    const step = definition?.steps.find((each) => each.level === level);
    if (!definition || !step) return testId;
    const add = (
      message: Pick<NewTestMessage, 'channel' | 'recipientType' | 'recipientId' | 'name'> &
        Partial<NewTestMessage>,
    ) =>
      insertTestMessage(tx, {
        testId,
        organizationPath: wanted.policyPath,
        state: 'failed',
        messageId: null,
        error: '',
        at,
        ...message,
      });

    const type = definition.recipientType ?? 'receivers';
    const { people, isUncovered } = await peopleOfStep(tx, type, step.recipients ?? [], now);
    if (step.channels?.includes('web'))
      for (const person of people)
        if (person.type === 'accounts')
          await add({
            channel: 'web',
            recipientType: person.type,
            recipientId: person.id,
            name: person.name,
            organizationPath: person.organizationPath,
            state: 'sending',
            at: new Date(now + POPUP_WAIT_MS),
          });
    if (step.channels?.includes('email')) {
      const find = await ownTexts.of(tx, [wanted.organizationId]);
      const organization = await findOrganizationName(tx, wanted.organizationId);
      const idsOf = (wantedType: 'receivers' | 'accounts') =>
        people.flatMap((person) => (person.type === wantedType ? [person.id] : []));
      const reachable = new Map(
        (await findReachable(tx, { receivers: idsOf('receivers'), accounts: idsOf('accounts') })).map(
          (each) => [personKey(each), each],
        ),
      );
      if (isUncovered)
        await add({
          channel: 'email',
          recipientType: 'receivers',
          recipientId: 0,
          name: '',
          error: 'nobody on call',
        });
      for (const person of people) {
        const to = reachable.get(personKey(person));
        const error = !to
          ? 'recipient removed'
          : to.email === ''
            ? 'no e-mail address'
            : messages.canDeliver('email')
              ? ''
              : 'no transport';
        const language = closestLanguage(to?.language);
        const link = consoleUrl === null ? '' : `${consoleUrl}/alarm/tests?test=${testId}`;
        const template = find(wanted.organizationId, 'email', 'test', language);
        const own =
          template &&
          fillTemplate(
            template,
            testValues(
              {
                policy: wanted.policyName,
                level,
                asset: wanted.assetName,
                organization,
                // A receiver cannot log in.
                link: person.type === 'accounts' ? link : '',
              },
              language,
              translate,
            ),
          );
        const messageId =
          to && error === ''
            ? await messages.enqueue(tx, {
                channel: 'email',
                recipient: to.email,
                template: 'alarm-test',
                params: {
                  policy: wanted.policyName,
                  level,
                  asset: wanted.assetName,
                  hasAsset: wanted.assetName === '' ? 'no' : 'yes',
                  account: person.type === 'accounts' ? 'yes' : 'no',
                  link,
                  hasLink: consoleUrl === null || person.type !== 'accounts' ? 'no' : 'yes',
                },
                ...(own ? { ownText: { subject: own.subject, text: own.body } } : {}),
                language,
                organizationId: to.organizationId,
                expiresAt: new Date(now + GIVEN_UP_AFTER_MS),
              })
            : null;
        await add({
          channel: 'email',
          recipientType: person.type,
          recipientId: person.id,
          name: person.name,
          organizationPath: person.organizationPath,
          state: messageId === null ? 'failed' : 'sending',
          messageId,
          error,
        });
      }
    }
    if (step.channels?.includes('url-push'))
      await add({
        channel: 'url-push',
        recipientType: 'url',
        recipientId: 0,
        name: step.url ?? '',
        state: 'pending',
      });
    return testId;
  };
}
