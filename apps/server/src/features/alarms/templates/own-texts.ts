import {
  type FilledTemplate,
  fillBody,
  fillParameters,
  fillSubject,
  parametersOf,
  type TemplateChannel,
  type TemplateKind,
  type TemplateProvider,
  type TemplateValues,
  templateKindOf,
} from '@isotherm/domain/notifications/message-template';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import { createCache } from '../../../platform/cache/cache.ts';
import type { Invalidations } from '../../../platform/cache/invalidations.ts';
import type { Db } from '../../../platform/db/pool.ts';
import { momentFormat } from '../../../platform/local-time.ts';
import { letterParams, measuredOf, type Said } from '../notifications/notification-words.ts';
import { smsWords } from '../notifications/sms-words.ts';
import { type AppliedTemplate, findApplied } from './templates.repo.ts';

/** Organisations whose templates a process keeps. */
const MAX_SITES = 10_000;

/** A text of an organisation with its values, and the templates of providers. */
export interface OwnText {
  subject: string;
  body: string;
  providers: Partial<Record<TemplateProvider, FilledTemplate>>;
}

/** The template of a text, of the nearest organisation that has one. */
export type FindTemplate = (
  siteId: number,
  channel: TemplateChannel,
  kind: TemplateKind,
  language: Language,
) => AppliedTemplate | undefined;

/** Own texts of organisations instead of the built-in ones. */
export interface OwnTexts {
  /** Reads the templates of organisations, from the cache if possible; the result is used for all their messages. */
  of(db: Db, siteIds: readonly number[]): Promise<FindTemplate>;
}

interface SiteTemplates {
  byUse: ReadonlyMap<string, AppliedTemplate>;
}

/** Stands for a value that an alarm does not have, such as that of a power failure. */
const NO_VALUE = '-';

const useOf = (channel: TemplateChannel, kind: TemplateKind, language: string) =>
  `${channel} ${kind} ${language}`;

/** Creates the texts of one process, which are cached until a template or the tree of organisations changes. */
export function createOwnTexts(invalidations: Invalidations): OwnTexts {
  const sites = createCache<number, SiteTemplates, Db>({
    invalidations,
    topic: 'templates',
    max: MAX_SITES,
    async load(ids, db) {
      const found = new Map<number, Map<string, AppliedTemplate>>(ids.map((id) => [id, new Map()]));
      for (const each of await findApplied(db, ids))
        found.get(each.siteId)?.set(useOf(each.channel, each.kind, each.language), each);
      return new Map([...found].map(([id, byUse]) => [id, { byUse }]));
    },
  });
  return {
    async of(db, siteIds) {
      const known = await sites.many(new Set(siteIds), db);
      return (siteId, channel, kind, language) =>
        known.get(siteId)?.byUse.get(useOf(channel, kind, language));
    },
  };
}

/** Where the links of an e-mail lead; null for none. */
interface Links {
  consoleUrl: string | null;
  acknowledge: string | null;
}

interface Reader {
  language: Language;
  timeZone: string;
}

/** Values of the variables for a notification about one alarm. */
export function alarmValues(said: Said, reader: Reader, links: Links, translate: Translate): TemplateValues {
  const { facts, kind } = said;
  const { language, timeZone } = reader;
  const params = letterParams(said, reader, links.consoleUrl, translate);
  const { variables } = smsWords(said, reader, translate);
  const time = momentFormat(language, timeZone, 'short', 'short');
  return {
    asset: String(params.asset),
    fault: String(params.fault),
    // Without a value, a dash stands between the words of the text.
    value: variables.value ?? NO_VALUE,
    limit: measuredOf(facts, facts.limit, language, translate) || NO_VALUE,
    time: variables.time ?? '',
    level: String(facts.level),
    event: translate(language, 'message-templates.event', { what: String(params.what) }),
    late: said.late ? translate(language, 'message-templates.late') : '',
    since: time.format(new Date(facts.since)),
    reason: String(params.reason),
    place: inWords(facts.place, language),
    organization: inWords(facts.organization, language),
    sensor: inWords(facts.channel, language),
    device: facts.device,
    instruction: kind === 'ended' ? '' : (said.instruction ?? ''),
    details: String(params.facts),
    link: String(params.link),
    acknowledge: links.acknowledge ?? '',
  };
}

/** Values of the variables for the message of an alarm test. */
export function testValues(
  test: { policy: string; level: number; asset: string; organization: string; link: string },
  language: Language,
  translate: Translate,
): TemplateValues {
  return {
    asset: inWords(test.asset, language),
    level: String(test.level),
    organization: inWords(test.organization, language),
    link: test.link,
    test: translate(language, 'message-templates.test-mark'),
    policy: test.policy,
  };
}

/** A template with its values. */
export function fillTemplate(
  { channel, subject, body, providers }: Pick<AppliedTemplate, 'channel' | 'subject' | 'body' | 'providers'>,
  values: TemplateValues,
): OwnText {
  const filled: OwnText['providers'] = {};
  for (const [provider, { templateId, parameters }] of Object.entries(providers)) {
    const known = parametersOf(parameters);
    if (known)
      filled[provider as TemplateProvider] = { templateId, parameters: fillParameters(known, values) };
  }
  return { subject: fillSubject(subject, values), body: fillBody(channel, body, values), providers: filled };
}

/** The own text of an organisation about one alarm; null if the built-in one is used. */
export function ownAlarmText(
  find: FindTemplate | null,
  use: { siteId: number; channel: TemplateChannel },
  said: Said,
  reader: Reader,
  links: Links,
  translate: Translate,
): OwnText | null {
  const template = find?.(use.siteId, use.channel, templateKindOf(said.kind), reader.language);
  return template ? fillTemplate(template, alarmValues(said, reader, links, translate)) : null;
}
