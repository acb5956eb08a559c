import type { EVENT_FIELDS, ServerMessage } from '@isotherm/contracts/realtime';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { fixed } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { AlarmsService, AlarmView } from './features/alarms/index.ts';
import type { AssetsService } from './features/assets/index.ts';
import type { Logger } from './platform/log.ts';
import type { Bus, BusNews } from './platform/realtime/bus.ts';
import type { Connection, Hub } from './platform/realtime/hub.ts';

const CARDS_EVERY_MS = 500;

const FIELD_OF: Partial<Record<Indicator, (typeof EVENT_FIELDS)[number]>> = {
  temperature: 'temperature',
  humidity: 'humidity',
  battery: 'voltage',
  voltage: 'voltage',
  power: 'unplugged',
};

function eventFieldOf(alarm: AlarmView): (typeof EVENT_FIELDS)[number] {
  return alarm.kind === 'no-data' ? 'offline' : (FIELD_OF[alarm.indicator] ?? 'temperature');
}

/** Value and limit as a person reads them: fixed decimals, true minus, unit. */
function measured(indicator: Indicator, value: number): string {
  const { precision, unit } = INDICATORS[indicator];
  return `${fixed(value, precision)} ${unit}`.trim();
}

/** What the alarm window shows, in the reader's language. */
export function alarmMessage(alarm: AlarmView, language: Language, translate: Translate): ServerMessage {
  const id = alarm.kind === 'no-data' ? 'realtime.alarm.no_data' : `realtime.alarm.${alarm.kind}`;
  const { organizationPath: _, ...shown } = alarm;
  return {
    event: '0003',
    eventField: eventFieldOf(alarm),
    displayTitle: translate(language, 'realtime.alarm.title', { level: alarm.level, asset: alarm.assetName }),
    message: translate(language, id, {
      channel: alarm.channelName,
      value: alarm.value === null ? '' : measured(alarm.indicator, alarm.value),
      limit: alarm.limitValue === null ? '' : measured(alarm.indicator, alarm.limitValue),
      minutes: Math.round(alarm.triggerAfterMs / 60_000),
    }),
    dataTimestamp: alarm.raisedAt,
    alarm: shown,
  };
}

/** Carries news of the database to the consoles: alarms to all in scope, cards to those that show them. */
export function createAnnouncer(
  bus: Bus,
  hub: Hub,
  alarms: AlarmsService,
  assets: AssetsService,
  translate: Translate,
  log: Logger,
) {
  const changedAssets = new Set<number>();
  let sendingCards = false;

  async function tellAlarms(news: BusNews): Promise<void> {
    const raised = new Set(news.alarms.filter(({ topic }) => topic === 'alarm.raised').map(({ id }) => id));
    const ids = [...new Set(news.alarms.map(({ id }) => id))];
    for (const alarm of await alarms.byId(ids))
      for (const connection of hub.connections()) {
        if (!alarm.organizationPath.startsWith(connection.scope)) continue;
        if (!connection.permissions.has('alarm-current:view')) continue;
        const { organizationPath: _, ...shown } = alarm;
        connection.send(
          raised.has(alarm.id)
            ? alarmMessage(alarm, connection.language, translate)
            : { event: 'alarm.changed', alarm: shown },
        );
      }
  }

  async function tellCards(ids: Iterable<number>, only?: Connection): Promise<void> {
    const wanted = new Set<number>();
    const connections = only ? [only] : [...hub.connections()];
    for (const id of ids) if (connections.some((connection) => connection.watched.has(id))) wanted.add(id);
    if (wanted.size === 0) return;
    const cards = await assets.cardsOf([...wanted]);
    for (const connection of connections) {
      if (!connection.permissions.has('monitor:view')) continue;
      const own = cards
        .filter(
          ({ card, organizationPath }) =>
            connection.watched.has(card.id) && organizationPath.startsWith(connection.scope),
        )
        .map(({ card }) => card);
      if (own.length > 0) connection.send({ event: 'cards', cards: own });
    }
  }

  const failed = (error: Error) => log.debug({ error: error.message }, 'news could not be told');

  const timer = setInterval(() => {
    if (changedAssets.size === 0 || sendingCards) return;
    const ids = [...changedAssets];
    changedAssets.clear();
    sendingCards = true;
    tellCards(ids)
      .catch(failed)
      .finally(() => {
        sendingCards = false;
      });
  }, CARDS_EVERY_MS);

  bus.subscribe((news) => {
    if (news.alarms.length > 0) tellAlarms(news).catch(failed);
    let anybody = false;
    for (const _ of hub.connections()) anybody = true;
    if (anybody) for (const id of news.assetIds) changedAssets.add(id);
  });

  return {
    onWatch: (connection: Connection) => void tellCards(connection.watched, connection).catch(failed),
    stop: () => clearInterval(timer),
  };
}
