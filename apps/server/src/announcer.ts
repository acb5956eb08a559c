import type { ServerMessage } from '@isotherm/contracts/realtime';
import { eventFieldOf } from '@isotherm/domain/alarms/notification';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import { type AlarmsService, type AlarmView, alarmSentence } from './features/alarms/index.ts';
import type { AssetsService } from './features/assets/index.ts';
import type { Logger } from './platform/log.ts';
import type { Bus, BusNews } from './platform/realtime/bus.ts';
import { type Connection, messageText } from './platform/realtime/hub.ts';

const CARDS_EVERY_MS = 500;
/** Delay between retries while the database is not reachable. */
const RETRY_MS = 500;
/** Alarms of a storm that a console gets in one write, so that its unsent bytes are checked in between. */
const ALARMS_AT_ONCE = 200;

/** Text of the alarm window in the reader's language. */
export function alarmMessage(alarm: AlarmView, language: Language, translate: Translate): ServerMessage {
  const { organizationPath: _, ...shown } = alarm;
  return {
    event: '0003',
    eventField: eventFieldOf(alarm.kind, alarm.indicator),
    displayTitle: translate(language, 'realtime.alarm.title', { level: alarm.level, asset: alarm.assetName }),
    message: alarmSentence(alarm, language, translate),
    dataTimestamp: alarm.raisedAt,
    alarm: shown,
  };
}

/** The part of a console's WebSocket connection that this module uses. */
type Listener = Pick<
  Connection,
  'username' | 'scope' | 'permissions' | 'watched' | 'language' | 'send' | 'sendTexts'
>;

/**
 * Creates the module that delivers database events to the consoles: alarms to every console in scope, asset
 * cards to the consoles that display them.
 */
export function createAnnouncer(
  bus: Pick<Bus, 'subscribe'>,
  hub: { connections(): Iterable<Listener> },
  alarms: Pick<AlarmsService, 'byId'>,
  assets: Pick<AssetsService, 'cardsOf'>,
  translate: Translate,
  log: Logger,
) {
  const changedAssets = new Set<number>();
  let sendingCards = false;
  let untold: BusNews['alarms'] = [];
  let tellingAlarms = false;
  let stopped = false;

  /**
   * Retries until it succeeds, because a console that stays connected does not request missed alarms by
   * itself.
   */
  async function tellUntold(): Promise<void> {
    if (tellingAlarms) return;
    tellingAlarms = true;
    while (untold.length > 0 && !stopped) {
      const events = untold;
      untold = [];
      try {
        await tellAlarms(events);
      } catch (error) {
        failed(error as Error);
        untold = [...events, ...untold];
        await new Promise((wake) => setTimeout(wake, RETRY_MS));
      }
    }
    tellingAlarms = false;
  }

  async function tellAlarms(events: BusNews['alarms']): Promise<void> {
    const idsOf = (wanted: BusNews['alarms'][number]['topic']) =>
      new Set(events.filter(({ topic }) => topic === wanted).map(({ id }) => id));
    const [raised, changed] = [idsOf('alarm.raised'), idsOf('alarm.changed')];
    /** Texts of one alarm. An alarm that starts and ends in the same commit is sent as a start and a change. */
    function textsOf(alarm: AlarmView, language: Language): string[] {
      const { organizationPath: _, ...shown } = alarm;
      const messages: ServerMessage[] = [];
      if (raised.has(alarm.id)) messages.push(alarmMessage(alarm, language, translate));
      if (changed.has(alarm.id)) messages.push({ event: 'alarm.changed', alarm: shown });
      return messages.map((message) => messageText(message, language));
    }
    const views = await alarms.byId([...raised, ...changed]);
    for (let first = 0; first < views.length; first += ALARMS_AT_ONCE) {
      const some = views.slice(first, first + ALARMS_AT_ONCE);
      // Readings and requests that have arrived meanwhile come first.
      await new Promise(setImmediate);
      // Rendered once for each language, as most consoles of an installation have the same one.
      const rendered = new Map<Language, { path: string; texts: string[] }[]>();
      for (const connection of hub.connections()) {
        const { language, scope } = connection;
        if (!connection.permissions.has('alarm-current:view')) continue;
        if (!some.some(({ organizationPath }) => organizationPath.startsWith(scope))) continue;
        let own = rendered.get(language);
        if (!own) {
          own = some.map((alarm) => ({ path: alarm.organizationPath, texts: textsOf(alarm, language) }));
          rendered.set(language, own);
        }
        connection.sendTexts(own.flatMap(({ path, texts }) => (path.startsWith(scope) ? texts : [])));
      }
    }
  }

  async function tellCards(ids: Iterable<number>, only?: Listener): Promise<void> {
    const wanted = new Set<number>();
    const connections = only ? [only] : [...hub.connections()];
    for (const id of ids) if (connections.some((connection) => connection.watched.has(id))) wanted.add(id);
    if (wanted.size === 0) return;
    const cards = await assets.cardsOf([...wanted], only?.scope);
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
    untold.push(...news.alarms);
    void tellUntold();
    const { people = [], organizations = [] } = news;
    if (people.length + organizations.length > 0)
      for (const { username, scope, send } of hub.connections())
        if (people.includes(username) || organizations.some((path) => scope.startsWith(path)))
          send({ event: 'popups' });
    let anybody = false;
    for (const _ of hub.connections()) anybody = true;
    if (anybody) for (const id of news.assetIds) changedAssets.add(id);
  });

  return {
    async onWatch(connection: Listener): Promise<void> {
      if (!connection.permissions.has('monitor:view')) return;
      await tellCards(connection.watched, connection).catch(failed);
    },
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}
