import { eventFieldOf, type NotificationKind } from '@isotherm/domain/alarms/notification';
import { groupForMessage, LISTED_IN_MESSAGE } from '@isotherm/domain/alarms/storm';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import { momentFormat } from '../../../platform/local-time.ts';
import {
  type AlarmFacts,
  faultOf,
  type GroupFacts,
  type GroupTopic,
  type PushMessage,
  peakOf,
} from './notification-words.ts';
import type { DueNotification } from './notifications.repo.ts';

export const topicOf = (kind: NotificationKind): GroupTopic =>
  kind === 'repeated' || kind === 'ended' ? kind : 'raised';

/** The last notification of each alarm, because an alarm may be raised and reach a higher level in one message. */
function lastOfEach(rows: readonly DueNotification[]): DueNotification[] {
  return [...new Map(rows.map((row) => [row.alarmId, row])).values()];
}

/** Number of different alarms that these notifications are about. */
export const countAlarms = (rows: readonly DueNotification[]): number =>
  new Set(rows.map(({ alarmId }) => alarmId)).size;

/** Content of a message about the alarms of these notifications, which have one recipient, site and topic. */
export function groupFactsOf(rows: readonly [DueNotification, ...DueNotification[]]): GroupFacts {
  const caused = lastOfEach(rows).map((row) => ({
    id: row.alarmId,
    level: row.facts.level,
    kind: row.facts.kind,
    indicator: row.facts.indicator,
    deviceId: row.deviceId,
    gatewayId: row.gatewayId,
    siteId: row.siteId,
    hasMains: row.hasMains,
    raisedAt: Date.parse(row.facts.raisedAt),
    row,
  }));
  const group = groupForMessage(caused as [(typeof caused)[number], ...typeof caused]);
  const [worst] = group.alarms as [(typeof caused)[number], ...typeof caused];
  const isOfDevice = worst.deviceId === group.sourceId;
  return {
    topic: topicOf(rows[0].kind),
    late: rows.every(({ late }) => late),
    cause: group.cause,
    source:
      group.cause === 'device' || (group.cause === 'gateway' && isOfDevice)
        ? worst.row.facts.device
        : group.cause === 'gateway'
          ? (worst.row.gateway ?? '')
          : '',
    site: worst.row.facts.organization,
    siteId: group.siteId,
    alarms: group.alarms.length,
    highestLevel: group.highestLevel,
    firstAt: new Date(group.firstAt).toISOString(),
    listed: group.alarms.slice(0, LISTED_IN_MESSAGE).map(({ row }) => row.facts),
  };
}

function wordsOf(facts: GroupFacts, language: Language, timeZone: string, translate: Translate) {
  const format = momentFormat(language, timeZone, 'medium', 'short');
  const lines = facts.listed.map((alarm) => {
    const value = peakOf(alarm, language, translate);
    return translate(language, 'messages.alarm-group.line', {
      level: alarm.level,
      asset: inWords(alarm.asset, language),
      fault: faultOf(alarm, language, translate),
      value,
      hasValue: value === '' ? 'no' : 'yes',
    });
  });
  return {
    topic: facts.topic,
    late: facts.late ? 'yes' : 'no',
    cause: facts.cause,
    source: facts.source,
    site: inWords(facts.site, language),
    count: facts.alarms,
    level: facts.highestLevel,
    time: format.format(new Date(facts.firstAt)),
    lines: lines.join('\n'),
    more: facts.alarms - facts.listed.length,
  };
}

/** Values of the e-mail template `alarm-group`. `consoleUrl` is null if the address of the console is not known. */
export function groupLetterParams(
  facts: GroupFacts,
  { language, timeZone }: { language: Language; timeZone: string },
  consoleUrl: string | null,
  translate: Translate,
): Record<string, string | number> {
  return {
    ...wordsOf(facts, language, timeZone, translate),
    link:
      consoleUrl === null
        ? ''
        : `${consoleUrl}/alarm/current?organizationId=${facts.siteId}&sort=level&order=desc`,
    hasLink: consoleUrl === null ? 'no' : 'yes',
  };
}

/** Body of a URL push about a group; `eventField` is that of the worst alarm. Times are in UTC. */
export function groupPushMessage(facts: GroupFacts, language: Language, translate: Translate): PushMessage {
  const values = { ...wordsOf(facts, language, 'UTC', translate), link: '', hasLink: 'no' };
  const [worst] = facts.listed as [AlarmFacts, ...AlarmFacts[]];
  return {
    event: facts.topic === 'ended' ? '0002' : '0003',
    eventField: eventFieldOf(worst.kind, worst.indicator),
    displayTitle: translate(language, 'messages.alarm-group.subject', values),
    message: translate(language, 'messages.alarm-group.text', values),
    dataTimestamp: facts.firstAt,
  };
}
