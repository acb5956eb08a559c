import { AppError } from '@isotherm/contracts/errors';
import type {
  getInheritedTemplate,
  listMessageTemplates,
  MessageTemplateInput,
  MessageTemplateView,
  TemplatePreview,
} from '@isotherm/contracts/message-templates';
import type { ResponseOf } from '@isotherm/contracts/route';
import { smsLength } from '@isotherm/domain/billing/sms-segments';
import { providersOf, TEMPLATE_PROVIDERS } from '@isotherm/domain/notifications/message-template';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { builtInText } from './built-in.ts';
import type { Draft, Rendered } from './render-draft.ts';
import {
  deleteTemplateRow,
  findApplied,
  findTemplateRow,
  insertTemplate,
  listTemplateRows,
  lockTemplate,
  type ProviderTemplates,
  type TemplateFields,
  type TemplateRow,
  updateTemplate,
} from './templates.repo.ts';

/** Notification texts that replace the built-in ones. */
export interface TemplatesService {
  list(
    caller: Caller,
    query: z.output<(typeof listMessageTemplates)['query']>,
  ): Promise<ResponseOf<typeof listMessageTemplates>>;
  /** Throws `message_template.not_found`. */
  get(caller: Caller, id: number): Promise<MessageTemplateView>;
  /** Throws `organization.not_found`. */
  inherited(
    caller: Caller,
    query: z.output<(typeof getInheritedTemplate)['query']>,
  ): Promise<ResponseOf<typeof getInheritedTemplate>>;
  /** Throws `organization.not_found`, `message_template.taken`. */
  create(caller: Caller, form: MessageTemplateInput): Promise<MessageTemplateView>;
  /** Throws `organization.not_found`, `message_template.not_found|taken`. */
  edit(caller: Caller, id: number, form: MessageTemplateInput): Promise<MessageTemplateView>;
  /** Throws `message_template.not_found`. */
  reset(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `organization.not_found`. */
  preview(caller: Caller, form: MessageTemplateInput): Promise<TemplatePreview>;
}

/** Name of a template in the log. */
const nameOf = ({ channel, kind, language }: Pick<TemplateRow, 'channel' | 'kind' | 'language'>) =>
  `${channel} · ${kind} · ${language}`;

const objectOf = (row: TemplateRow) => ({
  objectKind: 'message-template',
  objectId: row.id,
  objectName: nameOf(row),
  organizationPath: row.organizationPath,
});

/** Templates of the providers that the notification channel has. */
export function providersIn(form: MessageTemplateInput): ProviderTemplates {
  const providers: ProviderTemplates = {};
  for (const provider of providersOf(form.channel)) {
    const templateId = form[`${provider}Template`];
    if (templateId !== '') providers[provider] = { templateId, parameters: form[`${provider}Parameters`] };
  }
  return providers;
}

export const draftOf = (form: MessageTemplateInput): Draft => ({
  channel: form.channel,
  kind: form.kind,
  language: form.language,
  subject: form.channel === 'email' ? form.subject : '',
  body: form.body,
  providers: providersIn(form),
});

export function createTemplatesService({
  pool,
  audit,
  clock,
  translate,
  render,
}: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  translate: Translate;
  /** Renders a text with the latest alarm of an organisation. */
  render: (db: Db, caller: Caller, organizationId: number, draft: Draft) => Promise<Rendered>;
}): TemplatesService {
  async function find(db: Db, caller: Caller, id: number): Promise<TemplateRow> {
    const row = await findTemplateRow(db, caller.scope, id);
    if (!row) throw new AppError('message_template.not_found');
    return row;
  }

  const records = createKeptRecords<TemplateRow>(pool, audit, {
    find,
    lock: lockTemplate,
    objectOf,
    fieldsOf: ({ organizationName, subject, body, providers }) => ({
      organization: organizationName,
      subject,
      body,
      ...Object.fromEntries(
        Object.entries(providers).flatMap(([provider, { templateId, parameters }]) => [
          [`${provider}Template`, templateId],
          [`${provider}Parameters`, parameters],
        ]),
      ),
    }),
    taken: { constraint: 'message_template_kind', code: 'message_template.taken' },
  });

  async function checked(tx: Tx, caller: Caller, form: MessageTemplateInput): Promise<TemplateFields> {
    if ((await findOrganizationPath(tx, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    return {
      organizationId: form.organizationId,
      ...draftOf(form),
      changedBy: caller.username,
      changedAt: new Date(clock.now()),
    };
  }

  return {
    async list(caller, query) {
      const { rows, total } = await listTemplateRows(pool, caller.scope, query);
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    async inherited(caller, { organizationId, channel, kind, language }) {
      if ((await findOrganizationPath(pool, caller.scope, organizationId)) === null)
        throw new AppError('organization.not_found');
      const above = (await findApplied(pool, [organizationId])).findLast(
        (each) =>
          each.organizationId !== organizationId &&
          each.channel === channel &&
          each.kind === kind &&
          each.language === language,
      );
      return above
        ? {
            organizationName: inWords(above.organizationName, caller.language),
            subject: above.subject,
            body: above.body,
          }
        : { organizationName: null, ...builtInText(channel, kind, language, translate) };
    },
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertTemplate(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx) =>
          updateTemplate(tx, id, await checked(tx, caller, form)),
        ),
      ),
    reset: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteTemplateRow(tx, id)),
    async preview(caller, form) {
      const { text, alarm } = await render(pool, caller, form.organizationId, draftOf(form));
      return {
        subject: text.subject,
        body: text.body,
        sms: form.channel === 'sms' ? smsLength(text.body) : null,
        providers: TEMPLATE_PROVIDERS.flatMap((provider) => {
          const own = text.providers[provider];
          if (!own) return [];
          const parameters = Object.entries(own.parameters).map(([name, value]) => ({ name, value }));
          return [{ provider, templateId: own.templateId, parameters }];
        }),
        alarm: alarm && {
          id: alarm.id,
          asset: inWords(alarm.facts.asset, caller.language),
          raisedAt: new Date(alarm.facts.raisedAt).toISOString(),
        },
      };
    },
  };
}

function viewOf({ organizationPath: _, changedAt, providers, ...row }: TemplateRow): MessageTemplateView {
  const of = (provider: (typeof TEMPLATE_PROVIDERS)[number]) => providers[provider];
  return {
    ...row,
    aliyunTemplate: of('aliyun')?.templateId ?? '',
    aliyunParameters: of('aliyun')?.parameters ?? '',
    tencentTemplate: of('tencent')?.templateId ?? '',
    tencentParameters: of('tencent')?.parameters ?? '',
    wechatTemplate: of('wechat')?.templateId ?? '',
    wechatParameters: of('wechat')?.parameters ?? '',
    changedAt: changedAt.toISOString(),
  };
}
