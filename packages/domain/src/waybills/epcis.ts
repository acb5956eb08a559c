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

/** What one probe measured on a leg, °C. */
export interface EpcisMeasured {
  /** URI of the measuring point. */
  probe: string;
  from: number;
  to: number;
  min: number;
  max: number;
  mean: number;
}

/** A leg of the transport with what its probes measured. */
export interface EpcisLeg {
  /** From 0. */
  position: number;
  /** End of the leg, or until when it was read if it has not ended. */
  to: number;
  hasEnded: boolean;
  measured: readonly EpcisMeasured[];
}

/** What identifies a shipment and judges its temperatures. */
export interface EpcisGoods {
  /** URI of the waybill, also the base of the URIs of its events. */
  uri: string;
  low: number;
  high: number;
}

export interface EpcisShipment extends EpcisGoods {
  steps: readonly EpcisStep[];
  legs: readonly EpcisLeg[];
}

/** An EPCIS 2.0 event of the goods of a waybill, without the context of its document. */
export interface EpcisEvent {
  type: 'ObjectEvent';
  /** None for what still changes: the same id would be another event. */
  eventID?: string;
  action: 'OBSERVE';
  bizStep: string;
  disposition: string;
  epcList: string[];
  eventTime: string;
  eventTimeZoneOffset: string;
  bizTransactionList: { type: string; bizTransaction: string }[];
  sensorElementList?: {
    sensorMetadata: { startTime: string; endTime: string; deviceID: string };
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
export const EPCIS_STEPS = {
  depart: { bizStep: 'departing', disposition: 'in_transit' },
  transship: { bizStep: 'loading', disposition: 'in_transit' },
  deliver: { bizStep: 'receiving', disposition: 'in_progress' },
  reject: { bizStep: 'receiving', disposition: 'returned' },
} as const;

/** The business step of temperatures that were measured on a leg. */
export const SENSOR_STEP = 'sensor_reporting';

const time = (at: number) => new Date(at).toISOString();

function eventOf(
  { uri }: Pick<EpcisGoods, 'uri'>,
  key: string | null,
  at: number,
  step: { bizStep: string; disposition: string },
): EpcisEvent {
  return {
    type: 'ObjectEvent',
    ...(key === null ? {} : { eventID: `${uri}#${key}` }),
    action: 'OBSERVE',
    ...step,
    epcList: [uri],
    eventTime: time(at),
    eventTimeZoneOffset: '+00:00',
    bizTransactionList: [{ type: 'bol', bizTransaction: uri }],
  };
}

/** The event of a step of the transport. */
export const stepEvent = (goods: Pick<EpcisGoods, 'uri'>, { id, action, at }: EpcisStep): EpcisEvent =>
  eventOf(goods, `step-${id}`, at, EPCIS_STEPS[action]);

/**
 * The event of the temperatures on a leg, with a sensor element for each probe, at the end of the leg; null without readings. That of a
 * leg that has not ended is without an id, because it is another event with each reading.
 */
export function sensorEvent(goods: EpcisGoods, leg: EpcisLeg, unit: EpcisUnit): EpcisEvent | null {
  if (leg.measured.length === 0) return null;
  const { low, high } = goods;
  const step = { bizStep: SENSOR_STEP, disposition: 'in_transit' };
  return {
    ...eventOf(goods, leg.hasEnded ? `leg-${leg.position + 1}` : null, leg.to, step),
    sensorElementList: leg.measured.map(({ probe, from, to, min, max, mean }) => ({
      sensorMetadata: { startTime: time(from), endTime: time(to), deviceID: probe },
      sensorReport: [
        {
          type: 'Temperature',
          minValue: toUnit(min, unit),
          maxValue: toUnit(max, unit),
          meanValue: toUnit(mean, unit),
          uom: unit,
          ...(min < low || max > high ? { exception: 'ALARM_CONDITION' } : {}),
        },
      ],
    })),
  };
}

/** Returns the events of a waybill in order of time: its steps, and the temperatures of each leg. */
export function epcisEvents(shipment: EpcisShipment, unit: EpcisUnit): EpcisEvent[] {
  const steps = shipment.steps.map((step) => stepEvent(shipment, step));
  const sensed = shipment.legs.flatMap((leg) => sensorEvent(shipment, leg, unit) ?? []);
  return [...steps, ...sensed].sort((a, b) => Date.parse(a.eventTime) - Date.parse(b.eventTime));
}
