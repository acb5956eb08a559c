import { expect, test } from 'vitest';
import * as cabinets from './cabinets.ts';
import { type ChamberInput, type ChamberSpec, restingChamber, stepChamber } from './chamber.ts';

const STEP_S = 10;

/** Runs the simulation for `hours`; returns the air temperatures, and how often the unit ran and was defrosted. */
function run(spec: ChamberSpec, hours: number, inputAt: (second: number) => ChamberInput) {
  let state = restingChamber(spec);
  const airC: number[] = [];
  let compressorS = 0;
  let starts = 0;
  let defrosts = 0;
  for (let second = 0; second < hours * 3600; second += STEP_S) {
    const before = state;
    state = stepChamber(spec, state, inputAt(second), STEP_S);
    airC.push(state.airC);
    if (state.compressorOn) compressorS += STEP_S;
    if (state.compressorOn && !before.compressorOn) starts++;
    if (state.defrostS > 0 && before.defrostS === 0) defrosts++;
  }
  return { airC, state, duty: compressorS / (hours * 3600), startsPerHour: starts / hours, defrosts };
}

const closed = (ambientC: number): ChamberInput => ({ ambientC, doorOpening: 0, mains: true });

const STEADY: [name: string, spec: ChamberSpec, ambientC: number, lowC: number, highC: number][] = [
  ['pharmacy refrigerator', cabinets.PHARMACY_FRIDGE, 22, 3.2, 6.4],
  ['pharmacy refrigerator in a heat wave', cabinets.PHARMACY_FRIDGE, 32, 3.2, 6.6],
  ['upright freezer', cabinets.UPRIGHT_FREEZER, 22, -23.5, -15.5],
  ['ultra-low freezer', cabinets.ULT_FREEZER, 22, -76, -68],
  ['walk-in store', cabinets.WALK_IN_STORE, 19, 3.5, 7.5],
  ['freezer store', cabinets.FREEZER_STORE, 19, -23.5, -15.5],
  ['blood room', cabinets.BLOOD_ROOM, 22, 2.6, 5.6],
  ['truck body in summer', cabinets.TRUCK_BODY, 33, 2.8, 6.6],
  ['truck body in frost', cabinets.TRUCK_BODY, -8, 1.5, 6.6],
  ['container', cabinets.REEFER_CONTAINER, 30, 3.5, 6.5],
];

test.each(STEADY)('the temperature of %s stays within its range', (_, spec, ambientC, lowC, highC) => {
  const { airC } = run(spec, 48, () => closed(ambientC));
  expect(Math.min(...airC)).toBeGreaterThan(lowC);
  expect(Math.max(...airC)).toBeLessThan(highC);
});

const DUTY: [name: string, spec: ChamberSpec, ambientC: number, least: number, most: number][] = [
  ['pharmacy refrigerator', cabinets.PHARMACY_FRIDGE, 22, 0.15, 0.5],
  ['upright freezer', cabinets.UPRIGHT_FREEZER, 22, 0.25, 0.7],
  ['ultra-low freezer', cabinets.ULT_FREEZER, 22, 0.35, 0.75],
  ['walk-in store', cabinets.WALK_IN_STORE, 19, 0.15, 0.5],
];

test.each(DUTY)(
  'duty cycle and starts per hour of %s are realistic for a compressor',
  (_, spec, ambientC, least, most) => {
    const { duty, startsPerHour } = run(spec, 48, () => closed(ambientC));
    expect(duty).toBeGreaterThan(least);
    expect(duty).toBeLessThan(most);
    expect(startsPerHour).toBeGreaterThan(0.5);
    expect(startsPerHour).toBeLessThan(8);
  },
);

test('if the refrigerator door is open for 20 minutes, the air crosses 8 °C within minutes and recovers afterwards', () => {
  const from = 4 * 3600;
  const until = from + 20 * 60;
  const { airC } = run(cabinets.PHARMACY_FRIDGE, 8, (second) => ({
    ambientC: 22,
    mains: true,
    doorOpening: second >= from && second < until ? 1 : 0,
  }));
  const at = (second: number) => airC[second / STEP_S]!;
  expect(at(from + 180)).toBeGreaterThan(8);
  expect(at(until - STEP_S)).toBeLessThan(21);
  expect(at(until + 3600)).toBeLessThan(8);
  expect(at(until + 3 * 3600)).toBeLessThan(6.6);
});

test('if a person stands in the doorway for half a minute, the air does not cross 8 °C', () => {
  const from = 4 * 3600;
  const { airC } = run(cabinets.PHARMACY_FRIDGE, 6, (second) => ({
    ambientC: 22,
    mains: true,
    doorOpening: second >= from && second < from + 30 ? 0.5 : 0,
  }));
  expect(Math.max(...airC)).toBeLessThan(8);
});

test('a defrost happens four times a day and its effect stays small', () => {
  const { airC, defrosts } = run(cabinets.UPRIGHT_FREEZER, 48, () => closed(22));
  expect(defrosts).toBeGreaterThanOrEqual(7);
  expect(defrosts).toBeLessThanOrEqual(8);
  const bump = Math.max(...airC) - (cabinets.UPRIGHT_FREEZER.setpointC + 1.2);
  expect(bump).toBeGreaterThan(0.5);
  expect(bump).toBeLessThan(5);
});

test('without mains power nothing runs, and a full ultra-low freezer is still below −50 °C after three hours', () => {
  const { airC, duty } = run(cabinets.ULT_FREEZER, 3, () => ({ ambientC: 22, doorOpening: 0, mains: false }));
  expect(duty).toBe(0);
  expect(airC.at(-1)).toBeGreaterThan(-72);
  expect(airC.at(-1)).toBeLessThan(-50);
});

test('a compressor that has just stopped rests before it starts again', () => {
  const spec = cabinets.PHARMACY_FRIDGE;
  const hot = { ...restingChamber(spec), airC: 12, restedS: 0 };
  const soon = stepChamber(spec, hot, closed(22), STEP_S);
  expect(soon.compressorOn).toBe(false);
  expect(stepChamber(spec, { ...soon, restedS: spec.minimumRestS }, closed(22), STEP_S).compressorOn).toBe(
    true,
  );
});
