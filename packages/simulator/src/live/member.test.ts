import type { ReadingItem } from '@isotherm/contracts/ingest';
import { expect, test } from 'vitest';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { startingState } from '../fleet/simulation.ts';
import type { Device } from './device.ts';
import { createMember } from './member.ts';

const START = Date.UTC(2026, 10, 20, 2, 0, 0);

/** Creates a simulated asset whose device stores all messages. */
function memberOf(code: string, timeScale = 1) {
  const asset = FLEET_ASSETS.find((candidate) => candidate.code === code)!;
  const given: ReadingItem[] = [];
  const blind: Buffer[] = [];
  let flightMode = false;
  const device: Device = {
    add: (readings) => void given.push(...readings),
    setFlightMode: (on) => {
      flightMode = on;
    },
    sendBlind: (message) => void blind.push(message),
    setUploadInterval: () => {},
    uploadEveryMs: () => 0,
    pending: () => [],
    online: () => true,
    close: async () => {},
  };
  const member = createMember(
    asset,
    { state: startingState(asset, START), random: { state: 7 } },
    device,
    timeScale,
    [],
  );
  let now = START;
  return {
    member,
    given,
    blind,
    inFlightMode: () => flightMode,
    now: () => now,
    run(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        now += 1_000;
        member.tick(now);
      }
    },
    temperatures: () => given.filter(({ channel }) => channel === 'temperature-1'),
  };
}

test('a connected device sends about every 15 s', () => {
  for (const asset of FLEET_ASSETS) {
    const { run, temperatures } = memberOf(asset.code);
    run(300);
    const times = temperatures().map(({ at }) => Number(at));
    const pauses = times.slice(1).map((at, i) => at - times[i]!);
    expect(Math.max(...pauses), asset.code).toBeLessThanOrEqual(15_000);
  }
});

test('with door-left-open, the door switch changes at once, 8 °C is reached within four minutes, and the temperature recovers afterwards', () => {
  const { member, run, given, temperatures, now } = memberOf('FR-03');
  run(60);
  member.disturb('door-left-open', now(), 1, 10 * 60_000);
  run(3);
  expect(given.filter(({ channel }) => channel === 'door-1').at(-1)?.value).toBe(1);
  run(240);
  expect(temperatures().at(-1)?.value).toBeGreaterThan(8);
  run(500 + 3600);
  expect(temperatures().at(-1)?.value).toBeLessThan(8);
});

test('a scenario can be accelerated: the value is above the limit within seconds, and back within a minute after clear', () => {
  const { member, run, temperatures, now } = memberOf('FR-03');
  run(30);
  member.disturb('door-left-open', now(), 60);
  run(10);
  expect(temperatures().at(-1)?.value).toBeGreaterThan(8);
  member.clear(now());
  run(60);
  expect(temperatures().at(-1)?.value).toBeLessThan(8);
});

test('with power-cut, the power channel changes; an ice box has no mains power', () => {
  const { member, run, given, now } = memberOf('FR-01');
  run(30);
  expect(member.disturb('power-cut', now(), 1)).toBe(true);
  run(5);
  expect(given.filter(({ channel }) => channel === 'power-1').at(-1)?.value).toBe(0);
  expect(memberOf('BX-112').member.disturb('power-cut', START, 1)).toBe(false);
});

test('with sensor-dead, a few impossible values are sent, then the channel sends nothing, then it recovers', () => {
  const { member, run, temperatures, now } = memberOf('FR-01');
  run(60);
  const before = temperatures().length;
  member.disturb('sensor-dead', now(), 1, 120_000);
  run(119);
  expect(
    temperatures()
      .slice(before)
      .map(({ value }) => value),
  ).toEqual([850, 850, 850]);
  run(60);
  expect(temperatures().at(-1)?.value).toBeLessThan(9);
});

test('with clock-wrong, readings are sent with times in 1970, then again with their true times', () => {
  const { member, run, temperatures, now } = memberOf('FR-01');
  run(60);
  const before = temperatures().length;
  member.disturb('clock-wrong', now(), 1, 60_000);
  run(59);
  const wrong = temperatures().slice(before);
  expect(wrong.length).toBeGreaterThan(2);
  for (const { at } of wrong) expect(Number(at)).toBeLessThan(61_000);
  run(30);
  const right = temperatures().slice(before + wrong.length);
  expect(right.slice(0, wrong.length).map(({ value }) => value)).toEqual(wrong.map(({ value }) => value));
  for (const { at } of right) expect(Number(at)).toBeGreaterThan(START);
});

test('flight-mode is passed to the device, and ends', () => {
  const { member, run, inFlightMode, now } = memberOf('TR-71K03');
  member.disturb('flight-mode', now(), 1, 20_000);
  run(5);
  expect(inFlightMode()).toBe(true);
  run(30);
  expect(inFlightMode()).toBe(false);
});

test('with flapping, the value crosses the limit repeatedly', () => {
  const { member, run, temperatures, now } = memberOf('FR-01');
  member.disturb('flapping', now(), 1, 400_000);
  run(390);
  const above = temperatures().map(({ value }) => value > 8);
  expect(above.slice(1).filter((is, i) => is !== above[i]).length).toBeGreaterThan(5);
});

test('with garbage, invalid messages of every kind are sent, while valid readings continue', () => {
  const { member, run, blind, temperatures, now } = memberOf('FR-01');
  member.disturb('garbage', now(), 1, 60_000);
  run(60);
  expect(new Set(blind.map((message) => message.toString('latin1').slice(0, 24))).size).toBeGreaterThan(6);
  expect(temperatures().length).toBeGreaterThan(2);
});

test('with a longer acquisition interval a device measures less often, and still reports the door at once', () => {
  const { member, run, given, temperatures, now } = memberOf('FR-03');
  member.setAcquisitionInterval(120_000);
  run(1_200);
  const openings = given.filter(({ channel, value }) => channel === 'door-1' && value === 1).length;
  expect(temperatures().length).toBeGreaterThanOrEqual(9);
  expect(temperatures().length).toBeLessThanOrEqual(12 + 2 * openings);
  member.disturb('door-left-open', now(), 1, 10 * 60_000);
  run(3);
  expect(given.filter(({ channel }) => channel === 'door-1').at(-1)?.value).toBe(1);
});

test('a device that is switched off measures nothing, while the simulation of its asset continues', () => {
  const { member, run, given, now } = memberOf('CS-A1');
  run(60);
  const before = given.length;
  member.switchOff(now() + 60_000);
  run(59);
  expect(given.length).toBe(before);
  expect(member.run.state.at).toBe(now());
  run(20);
  expect(given.length).toBeGreaterThan(before);
});
