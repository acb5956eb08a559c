import {
  type FloorPlanDetail,
  getFloorPlan,
  listFloorPlans,
  readFloorPlanPicture,
} from '@isotherm/contracts/floor-plans';
import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage, stubFrame } from '../../shared/testing/render-page.tsx';
import { StudyPlan } from './study-plan.tsx';

const MEASURED = { count: 60, mean: 4.5, meanKinetic: 4.6, coverage: 1, outsideMs: 0 };
const STUDY: ValidationStudy = {
  id: 3,
  asset: { id: 9, name: 'Cold room 2', code: 'CR-2', kind: 'cold-store' },
  organizationName: 'HQ',
  name: 'Full load',
  type: 'full',
  note: '',
  dueOn: null,
  verifierUnitId: null,
  verifierUnitName: null,
  zoneMin: 2,
  zoneMax: 8,
  channels: [70, 71],
  from: '2026-05-01T00:00:00.000Z',
  to: '2026-05-02T00:00:00.000Z',
  channelNames: [],
  uncalibrated: [],
  state: 'judged',
  judgedBy: 'demo.quality',
  judgedAt: '2026-05-02T08:00:00.000Z',
  changedBy: 'demo.quality',
  changedAt: '2026-04-30T08:00:00.000Z',
  result: {
    points: [
      { ...MEASURED, channelId: 70, min: 3, max: 8.4 },
      { ...MEASURED, channelId: 71, min: 2.1, max: 6 },
    ],
    min: 2.1,
    max: 8.4,
    mean: 4.5,
    meanKinetic: 4.6,
    uniformity: 3.2,
    hotSpot: 70,
    coldSpot: 71,
    verdict: 'failed',
  },
};
const place = (channelId: number | null, channelName: string | null, x: number) => ({
  assetId: 9,
  assetName: 'Cold room 2',
  assetCode: 'CR-2',
  assetKind: 'cold-store' as const,
  channelId,
  channelName,
  x,
  y: 0.5,
});
const PLAN: FloorPlanDetail = {
  id: 4,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Hall',
  floor: 0,
  mediaType: 'image/webp',
  width: 2000,
  height: 1000,
  picture: 1,
  version: 1,
  changedBy: 'x',
  changedAt: STUDY.changedAt,
  points: [
    place(null, null, 0.5),
    place(70, 'Door side', 0.1),
    place(71, 'Back wall', 0.9),
    place(72, 'Defrost', 0.7),
  ],
};

function server(points = PLAN.points, ...permissions: string[]) {
  const fake = fakeServer();
  holding(fake, ...permissions);
  fake.answer(listFloorPlans, () => ({ items: [PLAN], total: 1 }));
  fake.answer(getFloorPlan, () => ({ ...PLAN, points }));
  fake.answer(readFloorPlanPicture, () => new Promise<never>(() => undefined));
  return fake;
}

it('the floor plan of a study shows its channels, with their range, hot spot and cold spot', async () => {
  stubFrame(1072, 572);
  server(PLAN.points, 'asset-floor-plans:view');
  await renderPage(<StudyPlan study={STUDY} />);
  const board = within(await screen.findByRole('region', { name: /^Floor plan Hall/ }));
  expect(board.getAllByRole('button').map((each) => each.title)).toEqual([
    'Door side, 3.0 °C – 8.4 °C, Hot spot',
    'Back wall, 2.1 °C – 6.0 °C, Cold spot',
  ]);
});

it('a study without channels on the floor plan shows a message', async () => {
  server([place(null, null, 0.5)], 'asset-floor-plans:view');
  await renderPage(<StudyPlan study={STUDY} />);
  expect(await screen.findByText('No channel of the study is on this plan.')).toBeTruthy();
});
