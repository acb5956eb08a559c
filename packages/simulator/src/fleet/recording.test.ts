import { createHash } from 'node:crypto';
import { type IngestMessage, ingestMessage } from '@isotherm/contracts/ingest';
import { isPhysical } from '@isotherm/domain/readings/indicator';
import { expect, test } from 'vitest';
import { seedFrom } from '../random.ts';
import { channelsOf, type FleetAsset } from './asset.ts';
import { FLEET_ASSETS } from './catalogue.ts';
import type { Disturbance } from './disturbance.ts';
import { pastOf } from './past.ts';
import { type AssetRun, record } from './recording.ts';
import { startingState } from './simulation.ts';

const END = Date.UTC(2026, 10, 20, 9, 0, 0);
const DAY = 86_400_000;

const assetOf = (code: string) => FLEET_ASSETS.find((asset) => asset.code === code)!;

function runOf(asset: FleetAsset, seed: number, from: number): AssetRun {
  return { state: startingState(asset, from), random: { state: seedFrom(`${seed} ${asset.code}`) } };
}

function bytes(asset: FleetAsset, seed: number, days: number, past: readonly Disturbance[] = []): string[] {
  const run = runOf(asset, seed, END - days * DAY);
  return [...record(asset, run, END, END - DAY, past, 5_000)].map((chunk) => chunk.body);
}

const readingsOf = (bodies: readonly string[]) =>
  bodies.flatMap((body) => (JSON.parse(body) as IngestMessage).readings ?? []);

const hash = (texts: readonly string[]) => createHash('sha256').update(texts.join('')).digest('hex');

test('the same seed gives the same bytes, and another seed gives different ones', () => {
  for (const asset of FLEET_ASSETS) {
    expect(hash(bytes(asset, 7, 2))).toBe(hash(bytes(asset, 7, 2)));
    expect(hash(bytes(asset, 7, 2))).not.toBe(hash(bytes(asset, 8, 2)));
  }
});

test('the server accepts all recordings', () => {
  for (const asset of FLEET_ASSETS) {
    expect(ingestMessage.safeParse(JSON.parse(bytes(asset, 1, 0.1)[0]!)).error).toBeUndefined();
  }
});

test('a recording that was interrupted and continued equals one without interruption', () => {
  const asset = assetOf('FR-03');
  const whole = readingsOf(bytes(asset, 3, 2));
  const run = runOf(asset, 3, END - 2 * DAY);
  const first = [...record(asset, run, END - DAY, END - DAY, [], 5_000)];
  const again: AssetRun = { state: JSON.parse(JSON.stringify(run.state)), random: { ...run.random } };
  const second = [...record(asset, again, END, END - DAY, [], 5_000)];
  expect(readingsOf([...first, ...second].map((chunk) => chunk.body))).toEqual(whole);
});

test('every reading of the fleet has a known channel, a physical value and a unique time', () => {
  for (const asset of FLEET_ASSETS) {
    const indicators = new Map(channelsOf(asset).map((channel) => [channel.key, channel.indicator]));
    const seen = new Set<string>();
    for (const { channel, at, value } of readingsOf(bytes(asset, 1, 1.5, pastOf(asset.code, END)))) {
      if (!isPhysical(indicators.get(channel)!, value)) expect.fail(`${asset.code} ${channel} ${value}`);
      if (seen.has(`${channel} ${at}`)) expect.fail(`${asset.code} ${channel} twice at ${at}`);
      seen.add(`${channel} ${at}`);
    }
    expect(new Set([...seen].map((key) => key.split(' ')[0]))).toEqual(new Set(indicators.keys()));
  }
});

test('normal days raise no alarms: no asset leaves its limits for two consecutive samples', () => {
  for (const asset of FLEET_ASSETS) {
    const temperatures = readingsOf(bytes(asset, 1, 4)).filter(({ channel }) =>
      channel.startsWith('temperature'),
    );
    const run = new Map<string, number>();
    for (const { channel, value } of temperatures) {
      const outside = value > asset.limits.highC || value < asset.limits.lowC;
      const inARow = outside ? (run.get(channel) ?? 0) + 1 : 0;
      if (inARow > 1) expect.fail(`${asset.code} ${channel} ${value}`);
      run.set(channel, inARow);
    }
  }
});

test('the history has the intended gaps and excursions, and no others', () => {
  const outside: string[] = [];
  for (const code of ['FR-01', 'FR-02', 'FR-07', 'CS-A2', 'TR-71K03']) {
    const asset = assetOf(code);
    const past = pastOf(code, END);
    const air = readingsOf(bytes(asset, 1, 30, past)).filter(({ channel }) => channel === 'temperature-1');
    const gaps = air.slice(1).filter(({ at }, i) => Number(at) - Number(air[i]!.at) > 300_000);
    const meant = past.filter(({ name }) => name === 'switched-off' || name === 'sensor-dead');
    expect(gaps.length, code).toBe(meant.length);
    if (air.some(({ value }) => value > asset.limits.highC + 0.5)) outside.push(code);
  }
  expect(outside).toEqual(['FR-02', 'FR-07', 'CS-A2']);
});
