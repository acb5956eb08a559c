import { expect, test } from 'vitest';
import { FLEET_ASSETS } from './catalogue.ts';
import { OPENING_ASSET, openingStory } from './opening.ts';
import { startingState, stepAsset } from './simulation.ts';

const MINUTE = 60_000;
const TRIGGER_MS = MINUTE;
const RECOVERY_MARGIN_C = 0.3;

/** Start times in various phases of the compressor cycle, and in various seasons. */
const STARTS = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => Date.UTC(2026, (i * 3) % 12, 20, 2 + i, i * 7));

test('the scenario at the start of the demo raises its alarm within about two minutes and ends within ten', () => {
  const asset = FLEET_ASSETS.find(({ code }) => code === OPENING_ASSET)!;
  for (const startMs of STARTS) {
    const story = openingStory(startMs);
    const random = { state: startMs % 1000 };
    let state = startingState(asset, startMs - 3 * 60 * MINUTE);
    let overSince = Number.NaN;
    let ringsAt = Number.NaN;
    let lastOver = Number.NaN;
    while (state.at < startMs + 15 * MINUTE) {
      state = stepAsset(asset, state, 1_000, 1, [story], random);
      if (state.at < story.from) continue;
      const airC = state.probesC[0]!;
      if (airC > asset.limits.highC && Number.isNaN(overSince)) overSince = state.at;
      if (airC > asset.limits.highC - RECOVERY_MARGIN_C) lastOver = state.at;
      if (Number.isNaN(ringsAt) && state.at - overSince >= TRIGGER_MS) ringsAt = state.at;
    }
    expect(ringsAt - startMs).toBeLessThan(2.5 * MINUTE);
    expect(lastOver).toBeGreaterThan(ringsAt);
    expect(lastOver - story.until).toBeLessThan(6 * MINUTE);
    // The server waits for the same delay before it ends the alarm.
    expect(lastOver + TRIGGER_MS - startMs).toBeLessThan(10 * MINUTE);
  }
});
