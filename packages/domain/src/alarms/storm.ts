import type { Indicator } from '../readings/indicator.ts';
import type { AlarmLevel } from './alarm-level.ts';
import { type AlarmKind, isSilence } from './catalogue.ts';

/**
 * Groups of alarms with a common cause. When a site loses power, thousands of alarms are raised within minutes;
 * they are shown and sent together. The site of an alarm is its organisation.
 */

/** Highest level of alarms whose notifications are grouped (decision 32). */
export const GROUPED_TO_LEVEL: AlarmLevel = 4;
/**
 * Time after a message to a recipient about a site during which further notifications of the site wait for the next
 * message. It is shorter than the time after which a notification is late.
 */
export const GROUP_WINDOW_MS = 30_000;
/** Number of alarms that a message about a group lists. */
export const LISTED_IN_MESSAGE = 10;
/** Alarms of a site belong to one incident if each was raised at most this long after the one before it. */
export const INCIDENT_GAP_MS = 15 * 60_000;
/** Number of alarms of a site without a more exact common cause that are shown as a group. */
export const SITE_GROUP_MIN = 5;

/** From the most to the least exact. */
export const ALARM_CAUSES = ['power', 'gateway', 'device', 'site'] as const;
export type AlarmCause = (typeof ALARM_CAUSES)[number];

/** What the cause of an alarm is recognised by. */
export interface CausedAlarm {
  id: number;
  level: AlarmLevel;
  kind: AlarmKind;
  indicator: Indicator;
  deviceId: number;
  /** The gateway that the device stands behind; null if there is none. */
  gatewayId: number | null;
  siteId: number;
  /** True if its device says whether its own mains are on. */
  hasMains: boolean;
  /** Time at which it was raised, epoch ms. */
  raisedAt: number;
}

/** Alarms with a common cause. `sourceId` is the site of a power failure or of a site, otherwise the device or gateway. */
export interface AlarmGroup<A extends CausedAlarm> {
  cause: AlarmCause;
  sourceId: number;
  siteId: number;
  highestLevel: AlarmLevel;
  /** Time at which the first alarm was raised, epoch ms. */
  firstAt: number;
  /** Worst first. */
  alarms: A[];
}

const isPowerLoss = ({ kind, indicator }: CausedAlarm): boolean => indicator === 'power' && !isSilence(kind);

/** What refrigeration keeps, and what therefore leaves its limits after a power failure. */
const KEPT_BY_POWER: ReadonlySet<Indicator> = new Set([
  'temperature',
  'humidity',
  'oxygen',
  'carbon-dioxide',
]);

/**
 * Returns whether a power failure explains an alarm: the failure itself, silence, and what refrigeration keeps. It does
 * not explain an open door, or the temperature of a device whose own mains are on.
 */
function explainedByPower(alarms: readonly CausedAlarm[]): (alarm: CausedAlarm) => boolean {
  const without = new Set(alarms.filter(isPowerLoss).map(({ deviceId }) => deviceId));
  return (alarm) =>
    without.size > 0 &&
    (isPowerLoss(alarm) ||
      isSilence(alarm.kind) ||
      (KEPT_BY_POWER.has(alarm.indicator) && (!alarm.hasMains || without.has(alarm.deviceId))));
}

/** Gateway by whose failure an alarm can be explained; null if the device reports. A gateway is its own. */
const lostGateway = ({ kind, gatewayId, deviceId }: CausedAlarm, gateways: ReadonlySet<number>) => {
  if (!isSilence(kind)) return null;
  return gatewayId ?? (gateways.has(deviceId) ? deviceId : null);
};

const gatewaysOf = (alarms: readonly CausedAlarm[]): Set<number> =>
  new Set(alarms.flatMap(({ gatewayId }) => (gatewayId === null ? [] : [gatewayId])));

/** Order of alarms in a group: the highest level first, then the earliest. */
export function byUrgency(a: CausedAlarm, b: CausedAlarm): number {
  return b.level - a.level || a.raisedAt - b.raisedAt || a.id - b.id;
}

function groupOf<A extends CausedAlarm>(
  cause: AlarmCause,
  sourceId: number,
  alarms: readonly A[],
): AlarmGroup<A> {
  const sorted = [...alarms].sort(byUrgency);
  const [worst] = sorted as [A, ...A[]];
  return {
    cause,
    sourceId,
    siteId: worst.siteId,
    highestLevel: worst.level,
    firstAt: Math.min(...sorted.map(({ raisedAt }) => raisedAt)),
    alarms: sorted,
  };
}

/** Returns the value that all alarms have in common; null if they differ, or if it is null. */
function common<A extends CausedAlarm>(
  alarms: readonly [A, ...A[]],
  keyOf: (alarm: A) => number | null,
): number | null {
  const first = keyOf(alarms[0]);
  return alarms.every((alarm) => keyOf(alarm) === first) ? first : null;
}

/** Describes alarms of one site that are sent as one message by the most exact cause that explains all of them. */
export function groupForMessage<A extends CausedAlarm>(alarms: readonly [A, ...A[]]): AlarmGroup<A> {
  const [{ siteId }] = alarms;
  if (alarms.every(explainedByPower(alarms))) return groupOf('power', siteId, alarms);
  const gateways = gatewaysOf(alarms);
  const gateway = common(alarms, (alarm) => lostGateway(alarm, gateways));
  const device = common(alarms, ({ deviceId }) => deviceId);
  if (device !== null) return groupOf('device', device, alarms);
  if (gateway !== null) return groupOf('gateway', gateway, alarms);
  return groupOf('site', siteId, alarms);
}

function by<A, K>(items: readonly A[], keyOf: (item: A) => K): Map<K, A[]> {
  const groups = new Map<K, A[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Splits the alarms of a site into incidents: stretches of time without a long gap between two alarms. */
function incidentsOf<A extends CausedAlarm>(alarms: readonly A[]): A[][] {
  const incidents: A[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const alarm of [...alarms].sort((a, b) => a.raisedAt - b.raisedAt || a.id - b.id)) {
    if (alarm.raisedAt - last > INCIDENT_GAP_MS) incidents.push([]);
    incidents.at(-1)?.push(alarm);
    last = alarm.raisedAt;
  }
  return incidents;
}

/** Takes out the alarms of sources that explain at least two of them; the others are returned as `rest`. */
function takeShared<A extends CausedAlarm>(
  alarms: readonly A[],
  cause: AlarmCause,
  sourceOf: (alarm: A) => number | null,
): { groups: AlarmGroup<A>[]; rest: A[] } {
  const groups: AlarmGroup<A>[] = [];
  const rest: A[] = [];
  for (const [source, shared] of by(alarms, sourceOf)) {
    if (source === null || shared.length < 2) rest.push(...shared);
    else groups.push(groupOf(cause, source, shared));
  }
  return { groups, rest };
}

function groupIncident<A extends CausedAlarm>(alarms: readonly A[]): AlarmGroup<A>[] {
  const [first] = alarms as readonly [A, ...A[]];
  const isExplained = explainedByPower(alarms);
  const ofPower = alarms.filter(isExplained);
  if (ofPower.length > 1) {
    const others = alarms.filter((alarm) => !isExplained(alarm));
    return [groupOf('power', first.siteId, ofPower), ...(others.length > 0 ? groupIncident(others) : [])];
  }
  const gateways = gatewaysOf(alarms);
  const ofGateways = takeShared(alarms, 'gateway', (alarm) => lostGateway(alarm, gateways));
  if (ofGateways.rest.length >= SITE_GROUP_MIN)
    return [...ofGateways.groups, groupOf('site', first.siteId, ofGateways.rest)];
  const ofDevices = takeShared(ofGateways.rest, 'device', ({ deviceId }) => deviceId);
  return [
    ...ofGateways.groups,
    ...ofDevices.groups,
    ...ofDevices.rest.map((alarm) => groupOf('device', alarm.deviceId, [alarm])),
  ];
}

/**
 * Groups alarms by their common cause, the group with the worst alarm first. Alarms of a site that are raised close to
 * each other are one incident; in it, a power failure explains silence and what refrigeration keeps, a lost gateway those of silent devices behind
 * it. Many others are a group of the site; of few, those of one device are a group. An alarm without a common cause is a
 * group of its own.
 */
export function groupByCause<A extends CausedAlarm>(alarms: readonly A[]): AlarmGroup<A>[] {
  return [...by(alarms, ({ siteId }) => siteId).values()]
    .flatMap((ofSite) => incidentsOf(ofSite).flatMap(groupIncident))
    .sort(
      (a, b) =>
        b.highestLevel - a.highestLevel ||
        b.alarms.length - a.alarms.length ||
        a.firstAt - b.firstAt ||
        (a.alarms[0] as A).id - (b.alarms[0] as A).id,
    );
}
