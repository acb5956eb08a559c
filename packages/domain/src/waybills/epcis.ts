/** Units of temperatures in EPCIS (UN/CEFACT Recommendation 20). */
export const EPCIS_UNITS = ['CEL', 'FAH', 'KEL'] as const;
export type EpcisUnit = (typeof EPCIS_UNITS)[number];

/** Converts a temperature from °C, rounded to a hundredth. */
export function toUnit(celsius: number, unit: EpcisUnit): number {
  const converted = { CEL: celsius, FAH: celsius * 1.8 + 32, KEL: celsius + 273.15 }[unit];
  return Math.round(converted * 100) / 100;
}

/** A step of the transport. Times are epoch ms. */
export interface EpcisStep {
  id: number;
  action: 'depart' | 'transship' | 'deliver' | 'reject';
  at: number;
}

/** What the probe of one leg measured, °C. */
export interface EpcisMeasured {
  from: number;
  to: number;
  min: number;
  max: number;
  mean: number;
}

export interface EpcisShipment {
  /** URI of the waybill, also the base of the URIs of its events. */
  uri: string;
  steps: readonly EpcisStep[];
  measured: readonly EpcisMeasured[];
  low: number;
  high: number;
}

/** An EPCIS 2.0 event of the goods of a waybill, without the context of its document. */
export interface EpcisEvent {
  type: 'ObjectEvent';
  eventID: string;
  action: 'OBSERVE';
  bizStep: string;
  disposition: string;
  epcList: string[];
  eventTime: string;
  eventTimeZoneOffset: string;
  bizTransactionList: { type: string; bizTransaction: string }[];
  sensorElementList?: {
    sensorMetadata: { startTime: string; endTime: string };
    sensorReport: {
      type: string;
      minValue: number;
      maxValue: number;
      meanValue: number;
      uom: EpcisUnit;
      exception?: string;
    }[];
  }[];
}

/** Steps in the Core Business Vocabulary. */
const STEPS = {
  depart: { bizStep: 'departing', disposition: 'in_transit' },
  transship: { bizStep: 'loading', disposition: 'in_transit' },
  deliver: { bizStep: 'receiving', disposition: 'in_progress' },
  reject: { bizStep: 'receiving', disposition: 'returned' },
} as const;

/** Returns the events of a waybill in order of time: its steps, and the temperatures of each probe and leg. */
export function epcisEvents(shipment: EpcisShipment, unit: EpcisUnit): EpcisEvent[] {
  const { uri, low, high } = shipment;
  const time = (at: number) => new Date(at).toISOString();
  const event = (key: string, at: number, step: { bizStep: string; disposition: string }): EpcisEvent => ({
    type: 'ObjectEvent',
    eventID: `${uri}#${key}`,
    action: 'OBSERVE',
    ...step,
    epcList: [uri],
    eventTime: time(at),
    eventTimeZoneOffset: '+00:00',
    bizTransactionList: [{ type: 'bol', bizTransaction: uri }],
  });
  const steps = shipment.steps.map(({ id, action, at }) => event(`step-${id}`, at, STEPS[action]));
  const sensed = shipment.measured.map((each, row) => ({
    ...event(`sensor-${row + 1}`, each.to, { bizStep: 'transporting', disposition: 'in_transit' }),
    sensorElementList: [
      {
        sensorMetadata: { startTime: time(each.from), endTime: time(each.to) },
        sensorReport: [
          {
            type: 'Temperature',
            minValue: toUnit(each.min, unit),
            maxValue: toUnit(each.max, unit),
            meanValue: toUnit(each.mean, unit),
            uom: unit,
            ...(each.min < low || each.max > high ? { exception: 'ALARM_CONDITION' } : {}),
          },
        ],
      },
    ],
  }));
  return [...steps, ...sensed].sort((a, b) => Date.parse(a.eventTime) - Date.parse(b.eventTime));
}
