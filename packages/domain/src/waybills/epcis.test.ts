import { describe, expect, it } from 'vitest';
import { epcisEvents, sensorEvent, toUnit } from './epcis.ts';

const FROM = Date.UTC(2026, 10, 26, 6);
const TO = FROM + 3_600_000;

describe('units', () => {
  it.each([
    [8, 'CEL', 8],
    [8, 'FAH', 46.4],
    [8, 'KEL', 281.15],
    [-40, 'FAH', -40],
    [5.005, 'CEL', 5.01],
  ] as const)('%d °C in %s is %d', (celsius, unit, expected) => {
    expect(toUnit(celsius, unit)).toBe(expected);
  });
});

describe('events of a waybill', () => {
  const probe = 'https://console.example/asset/3#channel-5';
  const measured = { probe, from: FROM, to: TO, min: 4, max: 8, mean: 5.5 };
  const leg = { position: 0, to: TO, hasEnded: true, measured: [measured] };
  const steps = [
    { id: 11, action: 'depart' as const, at: FROM },
    { id: 12, action: 'transship' as const, at: FROM + 1 },
    { id: 13, action: 'deliver' as const, at: TO + 1 },
  ];
  const shipment = {
    uri: 'https://console.example/waybill/list/7',
    steps,
    legs: [leg, { position: 1, to: TO + 1, hasEnded: true, measured: [] }],
    low: 2,
    high: 8,
  };

  it('steps and temperatures are in order of time, in the unit that is asked for', () => {
    const events = epcisEvents(shipment, 'FAH');
    expect(events.map(({ bizStep, disposition }) => [bizStep, disposition])).toEqual([
      ['departing', 'in_transit'],
      ['loading', 'in_transit'],
      ['sensor_reporting', 'in_transit'],
      ['receiving', 'in_progress'],
    ]);
    expect(events[0]).toMatchObject({
      eventID: 'https://console.example/waybill/list/7#step-11',
      eventTime: '2026-11-26T06:00:00.000Z',
      eventTimeZoneOffset: '+00:00',
    });
    expect(events[2]?.sensorElementList).toEqual([
      {
        sensorMetadata: {
          startTime: '2026-11-26T06:00:00.000Z',
          endTime: '2026-11-26T07:00:00.000Z',
          deviceID: probe,
        },
        sensorReport: [{ type: 'Temperature', minValue: 39.2, maxValue: 46.4, meanValue: 41.9, uom: 'FAH' }],
      },
    ]);
  });

  it('the probes of a leg are sensor elements of one event', () => {
    const other = { ...measured, probe: 'https://console.example/asset/3#channel-6', max: 9 };
    const event = sensorEvent(shipment, { ...leg, position: 2, measured: [measured, other] }, 'KEL');
    expect(event).toMatchObject({ eventID: `${shipment.uri}#leg-3`, bizStep: 'sensor_reporting' });
    expect(event?.sensorElementList).toMatchObject([
      { sensorMetadata: { deviceID: probe }, sensorReport: [{ maxValue: 281.15 }] },
      { sensorMetadata: { deviceID: other.probe }, sensorReport: [{ exception: 'ALARM_CONDITION' }] },
    ]);
  });

  it('the temperatures of a leg that has not ended have no id, because they are another event with each reading', () => {
    const event = sensorEvent(shipment, { ...leg, hasEnded: false }, 'CEL');
    expect(event).toMatchObject({ bizStep: 'sensor_reporting', eventTime: '2026-11-26T07:00:00.000Z' });
    expect(event).not.toHaveProperty('eventID');
  });

  it.each([
    ['below', { min: 1.9 }],
    ['above', { max: 8.1 }],
  ])('a temperature %s the limits is an exception, a rejection is a return', (_, changes) => {
    const events = epcisEvents(
      {
        ...shipment,
        steps: [{ id: 1, action: 'reject', at: TO }],
        legs: [{ ...leg, measured: [{ ...measured, ...changes }] }],
      },
      'CEL',
    );
    const [report] =
      events.find((each) => each.sensorElementList)?.sensorElementList?.[0]?.sensorReport ?? [];
    expect(report?.exception).toBe('ALARM_CONDITION');
    expect(events.find(({ bizStep }) => bizStep === 'receiving')?.disposition).toBe('returned');
  });
});
