import { type CurveSeries, getCurve, MOST_CURVE_CHANNELS } from '@isotherm/contracts/telemetry';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as echarts from '../../shared/chart/echarts.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { renderPage, stubFrame } from '../../shared/testing/render-page.tsx';
import { TripChart } from './trip-chart.tsx';

const FROM = Date.UTC(2026, 10, 20, 8);
const MINUTE_MS = 60_000;
const RANGE = { from: FROM, to: FROM + 60 * MINUTE_MS };
const NO_BANDS: readonly never[] = [];
const TEMPERATURES = Array.from({ length: 12 }, (_, at) => ({ channelId: at + 1, name: `Probe ${at + 1}` }));
const DOORS = Array.from({ length: 12 }, (_, at) => ({ channelId: at + 101, name: `Door ${at + 1}` }));

function seriesOf(channelId: number): CurveSeries {
  const at = Array.from({ length: 60 }, (_, minute) => FROM + minute * MINUTE_MS);
  const values = at.map(() => (channelId > 100 ? 0 : 5 + channelId / 10));
  return {
    channelId,
    name: `Channel ${channelId}`,
    indicator: channelId > 100 ? 'door' : 'temperature',
    stepMs: null,
    at,
    mean: values,
    min: values,
    max: values,
    gaps: [],
    low: 2,
    high: 8,
    corrected: false,
    hiddenFrom: null,
    calibrationEndedAt: null,
    sources: [],
    estimated: [],
    statistics: null,
  };
}

function Chart({ onCursor }: { onCursor: (moment: number) => void }) {
  const [cursor, setCursor] = useState<number | null>(null);
  return (
    <TripChart
      channels={TEMPERATURES}
      switches={DOORS}
      range={RANGE}
      low={2}
      high={8}
      bands={NO_BANDS}
      cursor={cursor}
      onCursor={(moment) => {
        setCursor(moment);
        onCursor(moment);
      }}
    />
  );
}

it('the chart of a leg has all channels of a vehicle, and is not drawn again when its cursor moves', async () => {
  stubFrame(900, 500);
  const setOption = vi.fn();
  vi.spyOn(echarts, 'init').mockReturnValue({ setOption, resize() {}, dispose() {} } as never);
  const fake = fakeServer();
  fake.answer(getCurve, ({ query }) => ({
    from: new Date(RANGE.from).toISOString(),
    to: new Date(RANGE.to).toISOString(),
    alarms: [],
    series: (query.get('channels') ?? '').split(',').map((id) => seriesOf(Number(id))),
  }));
  const moved = vi.fn();
  await renderPage(<Chart onCursor={moved} />, { at: '/' });
  const surface = await screen.findByRole('application', {}, { timeout: 15_000 });
  await waitFor(() => expect(JSON.stringify(setOption.mock.lastCall)).toContain('"min":1,"max":9'));
  const asked = fake.called(getCurve).map((call) => (call.asked.query.get('channels') ?? '').split(','));
  expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(MOST_CURVE_CHANNELS);
  expect(new Set(asked.flat()).size).toBe(24);
  const drawn = setOption.mock.calls.length;
  for (let step = 0; step < 5; step++) fireEvent.keyDown(surface, { key: 'ArrowLeft' });
  await screen.findByText(/Probe 1 5\.1 °C.*Probe 12 6\.2 °C/);
  expect(moved.mock.calls.length).toBeGreaterThan(3);
  expect(setOption.mock.calls.length).toBe(drawn);
});

it('the curves stay while those for another width are read', async () => {
  const resized: (() => void)[] = [];
  const { ResizeObserver } = globalThis;
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(callback: () => void) {
        resized.push(callback);
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  onTestFinished(() => void vi.stubGlobal('ResizeObserver', ResizeObserver));
  stubFrame(900, 500);
  const setOption = vi.fn();
  vi.spyOn(echarts, 'init').mockReturnValue({ setOption, resize() {}, dispose() {} } as never);
  const fake = fakeServer();
  const widths = new Set<string>();
  fake.answer(getCurve, ({ query }) => {
    widths.add(query.get('points') ?? '');
    // Only the curves for the first width arrive.
    if (widths.size > 1) return new Promise(() => undefined) as never;
    return {
      from: new Date(RANGE.from).toISOString(),
      to: new Date(RANGE.to).toISOString(),
      alarms: [],
      series: (query.get('channels') ?? '').split(',').map((id) => seriesOf(Number(id))),
    };
  });
  await renderPage(<Chart onCursor={() => undefined} />, { at: '/' });
  const isDrawn = () => expect(JSON.stringify(setOption.mock.lastCall)).toContain('"min":1,"max":9');
  await waitFor(isDrawn, { timeout: 15_000 });
  stubFrame(1_500, 500);
  const drawn = setOption.mock.calls.length;
  act(() => {
    for (const resize of resized) resize();
  });
  await waitFor(() => expect(widths.size).toBe(2));
  expect(setOption.mock.calls.length).toBeGreaterThan(drawn);
  isDrawn();
  expect(widths.size).toBe(2);
});
