import type { Person } from '@isotherm/domain/alarms/person';
import { type FilledTemplate, isTemplateFault } from '@isotherm/domain/notifications/message-template';
import { wechatData, wechatTemplate } from '@isotherm/domain/notifications/wechat';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { Db } from '../../../platform/db/pool.ts';
import { findOpenIds, findWechatAccount, saveSubscribed } from './wechat.repo.ts';
import type { WechatClient } from './wechat-client.ts';

/** A template message to one WeChat user. */
export interface WechatMessage {
  /** Identifies the message, so that WeChat sends it once although it is handed over again. */
  id: string;
  openId: string;
  language: Language;
  variables: Readonly<Record<string, string>>;
  /** The template of an organisation; if WeChat refuses it, that of the official account is sent. */
  template?: FilledTemplate | undefined;
  /** Page that opens when the message is tapped; null for none. */
  url: string | null;
}

export type WechatOutcome =
  | { kind: 'sent' }
  | { kind: 'unsubscribed' | 'refused' | 'unavailable'; error: string };

/** Sends template messages of the official account. */
export interface WechatGateway {
  /** WeChat users of people; empty if there is no enabled official account. */
  reachable(
    db: Db,
    people: readonly Person[],
  ): Promise<(Person & { openId: string; isSubscribed: boolean })[]>;
  send(message: WechatMessage): Promise<WechatOutcome>;
}

const SEND_PATH = '/cgi-bin/message/template/send';

export function createWechatGateway(pool: pg.Pool, client: WechatClient): WechatGateway {
  return {
    async reachable(db, people) {
      const account = await findWechatAccount(db);
      return account?.enabled ? findOpenIds(db, people, account.appId) : [];
    },
    async send({ id, openId, language, variables, template, url }) {
      const account = await findWechatAccount(pool);
      if (!account) return { kind: 'unavailable', error: 'no official account' };
      const post = (templateId: string, data: ReturnType<typeof wechatData>) =>
        client.post(account, SEND_PATH, {
          touser: openId,
          template_id: templateId,
          ...(url === null ? {} : { url }),
          client_msg_id: id,
          data: data ?? {},
        });
      const usual = () => post(wechatTemplate(account, language), wechatData(account.fields, variables));
      let result = await (template
        ? post(template.templateId, wechatData(JSON.stringify(template.parameters), {}))
        : usual());
      if (template && result.kind === 'refused' && isTemplateFault(result.error)) result = await usual();
      if (result.kind === 'done') return { kind: 'sent' };
      if (result.kind === 'unsubscribed') await saveSubscribed(pool, openId, false);
      const { kind, error } = result;
      // A token that is refused twice is a fault of the settings, which people can repair.
      return { kind: kind === 'token' ? 'unavailable' : kind, error };
    },
  };
}
