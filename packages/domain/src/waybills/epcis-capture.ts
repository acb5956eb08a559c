import { EPCIS_UNITS, type EpcisUnit, toUnit } from './epcis.ts';
import type { WaybillState } from './waybill.ts';

/** Number of events that a captured document may have. */
export const MOST_CAPTURED_EVENTS = 500;

/** The part of an EPCIS 2.0 event that is understood; whatever else it contains is kept as it is. */
export interface CapturedEvent {
  bizStep?: string | undefined;
  disposition?: string | undefined;
  eventTime: string;
  epcList?: readonly string[] | undefined;
  bizTransactionList?: readonly { bizTransaction: string }[] | undefined;
  sensorElementList?: readonly { sensorReport: readonly SensorReport[] }[] | undefined;
}

interface SensorReport {
  type?: string | undefined;
  value?: number | undefined;
  minValue?: number | undefined;
  maxValue?: number | undefined;
  meanValue?: number | undefined;
  percValue?: number | undefined;
  sDev?: number | undefined;
  uom?: string | undefined;
}

/** How an event may name a waybill: by the address of its page, or by its number at the end of a business transaction. */
export type WaybillKey = { id: number } | { number: string };

const ADDRESS = /^(.*)\/waybill\/list\/(\d{1,15})(?:[#?].*)?$/;

/**
 * Returns the name of the waybill in an event, which is its first business transaction, else its first object: the address of the
 * page, or what follows the last colon or slash of another URI. Null without one. Ids of other installations mean nothing here, so
 * that an address must begin with `consoleUrl`; if that is not known (null), any address is accepted.
 */
export function waybillKeyOf(
  { bizTransactionList = [], epcList = [] }: CapturedEvent,
  consoleUrl: string | null,
): WaybillKey | null {
  const name = bizTransactionList[0]?.bizTransaction ?? epcList[0];
  if (name === undefined) return null;
  const [, origin, id] = ADDRESS.exec(name) ?? [];
  if (id === undefined) return { number: decoded(lastPart(name)) };
  return consoleUrl === null || origin === consoleUrl ? { id: Number(id) } : { number: name };
}

/** Words of the Core Business Vocabulary may be bare, or the last part of a URI: `departing`, `…/BizStep-departing`. */
export const vocabularyWord = (word: string | undefined): string =>
  lastPart(word ?? '').replace(/^(BizStep|Disp)-/, '');

const lastPart = (uri: string): string => uri.slice(Math.max(uri.lastIndexOf(':'), uri.lastIndexOf('/')) + 1);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the step of the transport that an event reports, if the waybill can take it: a departure before it has departed, and an
 * arrival while it is under way, as a rejection if the goods are returned.
 */
export function stepOfEvent(
  event: CapturedEvent,
  state: WaybillState,
): 'depart' | 'deliver' | 'reject' | null {
  const step = vocabularyWord(event.bizStep);
  if (step === 'departing' && state === 'not-shipped') return 'depart';
  if ((step !== 'arriving' && step !== 'receiving') || state !== 'in-transport') return null;
  return vocabularyWord(event.disposition) === 'returned' ? 'reject' : 'deliver';
}

/** Converts a temperature to °C; null without one, and for another unit. */
export function fromUnit(value: number | undefined, unit: string | undefined): number | null {
  if (value === undefined) return null;
  const known: Record<EpcisUnit, number> = { CEL: value, FAH: (value - 32) / 1.8, KEL: value - 273.15 };
  const celsius = unit === undefined ? undefined : known[unit as EpcisUnit];
  return celsius === undefined ? null : Math.round(celsius * 100) / 100;
}

const isTemperature = ({ type }: Pick<SensorReport, 'type'>): boolean =>
  lastPart(type ?? '').replace(/^gs1:/, '') === 'Temperature';

/** The values of a report that are temperatures. */
const VALUES = ['value', 'minValue', 'maxValue', 'meanValue', 'percValue'] as const;
/** Degrees of a unit in one of °C. */
const DEGREES: Record<EpcisUnit, number> = { CEL: 1, FAH: 1.8, KEL: 1 };

/**
 * Returns an event with its temperatures in a unit; those in a unit that is not known, and everything else, stay as they are. A
 * standard deviation is a difference: it has no zero point.
 */
export function inUnit<T extends CapturedEvent>(event: T, unit: EpcisUnit): T {
  if (!event.sensorElementList) return event;
  const sensorElementList = event.sensorElementList.map((element) => ({
    ...element,
    sensorReport: element.sensorReport.map((report) => {
      const from = EPCIS_UNITS.find((each) => each === report.uom);
      if (!from || from === unit || !isTemperature(report)) return report;
      const converted = VALUES.flatMap((name) => {
        const celsius = fromUnit(report[name], from);
        return celsius === null ? [] : [[name, toUnit(celsius, unit)] as const];
      });
      const { sDev } = report;
      const spread = sDev === undefined ? {} : { sDev: (sDev * DEGREES[unit]) / DEGREES[from] };
      return { ...report, ...Object.fromEntries(converted), ...spread, uom: unit };
    }),
  }));
  return { ...event, sensorElementList };
}

/** Returns the lowest and highest temperature in the sensor elements of an event, °C; null without one. */
export function temperaturesOf({
  sensorElementList = [],
}: CapturedEvent): { min: number; max: number } | null {
  const values = sensorElementList
    .flatMap(({ sensorReport }) => sensorReport)
    .filter(isTemperature)
    .flatMap(({ value, minValue, maxValue, uom }) =>
      [value, minValue, maxValue].flatMap((each) => fromUnit(each, uom) ?? []),
    );
  return values.length === 0 ? null : { min: Math.min(...values), max: Math.max(...values) };
}
