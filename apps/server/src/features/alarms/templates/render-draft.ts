import { AppError } from '@isotherm/contracts/errors';
import type { TemplateChannel, TemplateKind } from '@isotherm/domain/notifications/message-template';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import type { AlarmFacts, Said } from '../notifications/notification-words.ts';
import { findReachable, type Reachable } from '../notifications/notifications.repo.ts';
import { smsWords } from '../notifications/sms-words.ts';
import { alarmValues, fillTemplate, type OwnText, testValues } from './own-texts.ts';
import { findLatestAlarm, findOrganizationName, type ProviderTemplates } from './templates.repo.ts';

/** A text as it is edited. */
export interface Draft {
  channel: TemplateChannel;
  kind: TemplateKind;
  language: Language;
  subject: string;
  body: string;
  providers: ProviderTemplates;
}

export interface Rendered {
  text: OwnText;
  /** Variables for providers whose templates are not replaced. */
  variables: Readonly<Record<string, string>>;
  /** The alarm whose values it has; null if they are an example. */
  alarm: { id: number; facts: AlarmFacts } | null;
  /** The caller as a recipient; null for a machine. */
  to: Reachable | null;
}

const KIND = { alarm: 'raised', reminder: 'repeated', ended: 'ended' } as const;
/** The example: an excursion of 10 minutes. */
const EXAMPLE_MS = 10 * 60_000;
const EXAMPLE_LEVEL = 2;

/** Creates the function that renders a text with the latest alarm of an organisation, or an example. */
export function createRenderDraft({
  clock,
  translate,
  consoleUrl,
}: {
  clock: Clock;
  translate: Translate;
  consoleUrl: string | null;
}) {
  /** An alarm of no asset, for an organisation without alarms. */
  function exampleOf(organization: string, isOver: boolean, language: Language): AlarmFacts {
    const word = (name: 'asset' | 'place' | 'sensor') =>
      translate(language, `message-templates.example.${name}`);
    const now = clock.now();
    const at = (ago: number) => new Date(now - ago).toISOString();
    return {
      kind: 'high',
      subject: 'channel',
      level: EXAMPLE_LEVEL,
      indicator: 'temperature',
      asset: word('asset'),
      place: word('place'),
      organization,
      channel: word('sensor'),
      device: '10000001',
      since: at(2 * EXAMPLE_MS),
      raisedAt: at(EXAMPLE_MS),
      endedAt: isOver ? at(0) : null,
      endReason: isOver ? 'recovered' : null,
      limit: 8,
      value: 8.6,
      peak: 9.4,
      triggerAfterMs: EXAMPLE_MS,
    };
  }

  return async (db: Db, caller: Caller, organizationId: number, draft: Draft): Promise<Rendered> => {
    const path = await findOrganizationPath(db, caller.scope, organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const { kind, language } = draft;
    const [to = null] =
      caller.accountId === null
        ? []
        : await findReachable(db, { receivers: [], accounts: [caller.accountId] });
    const organization = await findOrganizationName(db, organizationId);
    const alarm = await findLatestAlarm(db, path, kind === 'ended');
    const facts = alarm?.facts ?? exampleOf(organization, kind === 'ended', language);
    if (kind === 'test') {
      const policy = translate(language, 'message-templates.example.policy');
      const link = consoleUrl === null ? '' : `${consoleUrl}/alarm/tests`;
      const test = { policy, level: facts.level, asset: facts.asset, organization, link };
      return { text: fillTemplate(draft, testValues(test, language, translate)), variables: {}, alarm, to };
    }
    const said: Said = {
      alarmId: alarm?.id ?? 0,
      kind: KIND[kind],
      late: false,
      facts,
      instruction: kind === 'ended' ? null : translate(language, 'message-templates.example.instruction'),
    };
    const reader = { language, timeZone: to?.timeZone ?? 'UTC' };
    const values = alarmValues(
      said,
      reader,
      {
        consoleUrl,
        // An example, because a real link would acknowledge the alarm.
        acknowledge: consoleUrl && kind !== 'ended' ? `${consoleUrl}/l/example` : null,
      },
      translate,
    );
    const { variables } = smsWords(said, reader, translate);
    return { text: fillTemplate(draft, values), variables, alarm, to };
  };
}
export type RenderDraft = ReturnType<typeof createRenderDraft>;
