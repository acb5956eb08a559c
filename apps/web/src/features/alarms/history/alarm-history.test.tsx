import { type AlarmAnalysis, analyzeAlarms, listAlarmHistory } from '@isotherm/contracts/alarm-history';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import AlarmGradedPage from './alarm-graded.page.tsx';

const hours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
(hours[0] as number[])[8] = 3;

const ANALYSIS: AlarmAnalysis = {
  from: '2026-08-22T00:00:00.000Z',
  to: '2026-11-20T00:00:00.000Z',
  total: 4,
  totalBefore: 6,
  levels: [1, 0, 3, 0, 0],
  concentration: { alarms: 3, severe: 3, assets: 1 },
  hours,
  acknowledgement: [1, 2, 3, 4, 5].map((level) => ({
    level: level as 1,
    acknowledged: level === 3 ? 2 : 0,
    open: level === 1 ? 1 : 0,
    medianS: level === 3 ? 480 : null,
    quantilesS: level === 3 ? [300, 660] : [],
  })),
  assets: [
    {
      id: 7,
      name: 'Vaccine fridge 03',
      kind: 'refrigerator',
      place: 'Clinic',
      levels: [1, 0, 3, 0, 0],
      total: 4,
    },
  ],
  assetCount: 1,
  reasons: [
    { reason: 'door-open', levels: [0, 0, 3, 0, 0], total: 3 },
    { reason: null, levels: [1, 0, 0, 0, 0], total: 1 },
  ],
  steps: [{ from: '2026-08-22T00:00:00.000Z', levels: [1, 0, 3, 0, 0] }],
  stepDays: 7,
};

it('the analysis states the number of alarms, their change and the busiest hour, and links to the alarms of that hour', async () => {
  const fake = fakeServer();
  holding(fake, 'alarm-graded:view');
  fake.answer(analyzeAlarms, () => ANALYSIS);
  await renderPage(<AlarmGradedPage />, { at: '/alarm/graded?part=analysis&level=3' });
  expect(await screen.findByText(/4 alarms\. 2 fewer than in the period before/)).toBeTruthy();
  expect(screen.getByText(/Monday 08:00 is the busiest hour, with 3 alarms/)).toBeTruthy();
  expect(fake.called(analyzeAlarms)[0]?.asked.query.get('level')).toBe('3');
  expect(screen.getByRole('link', { name: 'Monday 08:00: 3 alarms' }).getAttribute('href')).toBe(
    '/alarm/graded?level=3&weekday=1&hour=8',
  );
  const delays = within(screen.getByRole('region', { name: 'Time to acknowledge' }));
  expect(delays.getByRole('img', { name: 'Level 3: median 8 min of 2 acknowledged alarms' })).toBeTruthy();
  expect(delays.getByText('1 open')).toBeTruthy();
});

it('the page changes between history and analysis and keeps the filters', async () => {
  const fake = fakeServer();
  holding(fake, 'alarm-graded:view');
  fake.answer(analyzeAlarms, () => ({ ...ANALYSIS, total: 0 }));
  fake.answer(listAlarmHistory, () => ({ items: [], total: 0, isLimited: false }));
  await renderPage(<AlarmGradedPage />, { at: '/alarm/graded?level=5' });
  await screen.findByRole('heading', { name: 'Alarm history' });
  await waitFor(() => expect(fake.called(listAlarmHistory)).toHaveLength(1));
  expect(fake.called(listAlarmHistory)[0]?.asked.query.get('level')).toBe('5');
  await userEvent.click(screen.getByText('Analysis'));
  expect(await screen.findByRole('heading', { name: 'Alarm analysis' })).toBeTruthy();
  expect(fake.called(analyzeAlarms)[0]?.asked.query.get('level')).toBe('5');
});
