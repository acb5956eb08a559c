import { type CurveSeries, getCurve } from '@isotherm/contracts/telemetry';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import * as echarts from '../../shared/chart/echarts.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage, stubFrame } from '../../shared/testing/render-page.tsx';
import { CurvePanel } from './curve-panel.tsx';

const FROM = Date.UTC(2026, 10, 20, 8);
const MINUTE_MS = 60_000;
const CHANNELS = [{ channelId: 1, name: 'Air', indicator: 'temperature' as const }];
const NOTHING = [] as const;
const LIVE = new Map();
const RANGE = {
  from: new Date(FROM).toISOString(),
  to: new Date(FROM + 60 * MINUTE_MS).toISOString(),
};

const EMPTY: CurveSeries = {
  channelId: 1,
  name: 'Air',
  indicator: 'temperature',
  stepMs: null,
  at: [],
  mean: [],
  min: [],
  max: [],
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

async function draw(): Promise<void> {
  await renderPage(
    <CurvePanel
      subject="Fridge 1"
      quantities={CHANNELS}
      switches={NOTHING}
      mainChannelId={1}
      around={null}
      newestAt={null}
      live={LIVE}
      narrow={false}
    />,
    { at: `/asset/1?from=${RANGE.from}&to=${RANGE.to}`, path: '/asset/:id' },
  );
}

test('a time range without readings shows a message', async () => {
  stubFrame(900, 500);
  vi.spyOn(echarts, 'init').mockReturnValue({ setOption() {}, resize() {}, dispose() {} } as never);
  const fake = fakeServer();
  fake.answer(getCurve, () => ({ from: RANGE.from, to: RANGE.to, alarms: [], series: [EMPTY] }));
  await draw();
  expect(await screen.findByText('No readings in this range.', {}, { timeout: 15_000 })).toBeTruthy();
});

test('the chart is not drawn again when the crosshair moves', async () => {
  stubFrame(900, 500);
  const setOption = vi.fn();
  vi.spyOn(echarts, 'init').mockReturnValue({ setOption, resize() {}, dispose() {} } as never);
  const fake = fakeServer();
  const at = Array.from({ length: 60 }, (_, minute) => FROM + minute * MINUTE_MS);
  const values = at.map((_, index) => 5 + index / 100);
  const series: CurveSeries = { ...EMPTY, at, mean: values, min: values, max: values };
  fake.answer(getCurve, () => ({ from: RANGE.from, to: RANGE.to, alarms: [], series: [series] }));
  await draw();
  const surface = await screen.findByRole('application', {}, { timeout: 15_000 });
  // The range of the value axis shows that the chart is drawn with the readings.
  await waitFor(() => expect(JSON.stringify(setOption.mock.lastCall)).toContain('"min":1,"max":9'));
  const drawn = setOption.mock.calls.length;
  const shown = new Set<string>();
  for (let step = 0; step < 20; step++) {
    fireEvent.keyDown(surface, { key: 'ArrowLeft' });
    shown.add(document.body.textContent ?? '');
  }
  expect(shown.size, 'the readout follows the crosshair').toBeGreaterThan(15);
  expect(setOption.mock.calls.length).toBe(drawn);
});

test.each([
  ['with the permission to export', 'monitor-records:export', ['Download PNG', 'Export CSV', 'Export XLSX']],
  ['without it', 'monitor-records:view', ['Download PNG']],
] as const)('the downloads of a chart are right for a user %s', async (_, permission, items) => {
  stubFrame(900, 500);
  vi.spyOn(echarts, 'init').mockReturnValue({ setOption() {}, resize() {}, dispose() {} } as never);
  const fake = fakeServer();
  holding(fake, permission);
  fake.answer(getCurve, () => ({ from: RANGE.from, to: RANGE.to, alarms: [], series: [EMPTY] }));
  await draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Download' }));
  await waitFor(() =>
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(items),
  );
});
