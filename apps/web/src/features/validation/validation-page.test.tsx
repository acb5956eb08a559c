import {
  getValidationStudy,
  judgeValidationStudy,
  listValidationStudies,
  listVerifierUnits,
  reportValidationStudy,
  type ValidationStudy,
} from '@isotherm/contracts/validation-studies';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { ValidationPage } from './validation-page.tsx';

const POINT = { count: 60, mean: 4.5, meanKinetic: 4.6, coverage: 1, outsideMs: 0 };
const TO_JUDGE: ValidationStudy = {
  id: 3,
  asset: { id: 9, name: 'Cold room 2', code: 'CR-2', kind: 'cold-store' },
  organizationName: 'HQ',
  name: 'Full load',
  type: 'full',
  verifierUnitId: null,
  verifierUnitName: null,
  zoneMin: 2,
  zoneMax: 8,
  from: '2026-05-01T00:00:00.000Z',
  to: '2026-05-02T00:00:00.000Z',
  dueOn: '2027-05-01',
  channels: [70, 71],
  channelNames: [
    { id: 70, name: 'Door side', deviceNumber: '10000001', serial: 'S-1' },
    { id: 71, name: 'Back wall', deviceNumber: '10000001', serial: 'S-2' },
  ],
  uncalibrated: [],
  note: '',
  state: 'to-judge',
  result: null,
  judgedBy: null,
  judgedAt: null,
  changedBy: 'demo.quality',
  changedAt: '2026-04-30T08:00:00.000Z',
};
const JUDGED: ValidationStudy = {
  ...TO_JUDGE,
  state: 'judged',
  judgedBy: 'demo.quality',
  judgedAt: '2026-05-02T08:00:00.000Z',
  result: {
    points: [
      { ...POINT, channelId: 70, min: 3, max: 8.4, outsideMs: 120_000 },
      { ...POINT, channelId: 71, min: 2.1, max: 6 },
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

async function page(permissions = ['view', 'edit'], first = TO_JUDGE) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((action) => `asset-validation:${action}`));
  let study = first;
  fake.answer(listValidationStudies, () => ({ items: [study], total: 1 }));
  fake.answer(getValidationStudy, () => study);
  fake.answer(judgeValidationStudy, () => {
    study = JUDGED;
    return study;
  });
  await renderPage(<ValidationPage />, { at: '/?study=3' });
  return { fake, drawer: within(await screen.findByRole('dialog')) };
}

it('a study that has ended can be evaluated, and shows where and for how long it was too warm', async () => {
  const { fake, drawer } = await page();
  await userEvent.click(await drawer.findByRole('button', { name: 'Evaluate' }));
  await vi.waitFor(() => expect(fake.called(judgeValidationStudy)).toHaveLength(1));
  const row = (await drawer.findByText('8.4 °C', { selector: 'td' })).closest('tr') as HTMLElement;
  expect(within(row).getByText('Door side')).toBeTruthy();
  expect(within(row).getByText('Hot spot')).toBeTruthy();
  expect(within(row).getByText('2 min')).toBeTruthy();
  expect(drawer.getByText('Failed')).toBeTruthy();
});

it('a study that passed with an uncalibrated sensor has a reservation that names the sensor', async () => {
  const result = { ...(JUDGED.result as NonNullable<ValidationStudy['result']>), verdict: 'passed' as const };
  const { drawer } = await page(['view'], { ...JUDGED, result, uncalibrated: [71] });
  expect(await drawer.findByText('Passed with reservation')).toBeTruthy();
  expect(drawer.getByText(/for 1 sensor at the end of the study: Back wall\./)).toBeTruthy();
});

it('a user with read access cannot evaluate a study', async () => {
  const { drawer } = await page(['view']);
  expect(await drawer.findByText('To be evaluated')).toBeTruthy();
  expect(drawer.queryByRole('button', { name: 'Evaluate' })).toBeNull();
  expect(drawer.queryByRole('button', { name: 'Edit' })).toBeNull();
});

it("after the evaluation of a study, its report can be downloaded in the user's time zone", async () => {
  const save = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  URL.createObjectURL = () => 'blob:report';
  const { fake, drawer } = await page(['view'], JUDGED);
  fake.answer(reportValidationStudy, () => ({ fileName: 'validation-3.pdf', content: 'JVBERg==' }));
  await userEvent.click(await drawer.findByRole('button', { name: 'Report' }));
  await vi.waitFor(() => expect(save).toHaveBeenCalledOnce());
  expect(fake.called(reportValidationStudy)[0]?.asked.query?.get('zone')).toBeTruthy();
  expect(save.mock.contexts[0]).toHaveProperty('download', 'CR-2 Full load.pdf');
  save.mockRestore();
});

it.each([
  ['studies', '/', 'Plan study'],
  ['verifier units', '/?tab=units', 'Add validation body'],
])('the button to add %s is above the existing ones', async (_, at, button) => {
  const fake = fakeServer();
  holding(fake, 'asset-validation:view', 'asset-validation:edit');
  const unit = { id: 4, organizationId: 1, name: 'Metrology', qualification: '', contact: '', phone: '' };
  fake.answer(listValidationStudies, () => ({ items: [TO_JUDGE], total: 1 }));
  fake.answer(listVerifierUnits, () => ({
    items: [
      { ...unit, organizationName: 'HQ', studies: 1, changedBy: 'demo', changedAt: TO_JUDGE.changedAt },
    ],
    total: 1,
  }));
  await renderPage(<ValidationPage />, { at });
  expect(await screen.findByText(/Cold room 2|Metrology/)).toBeTruthy();
  expect(await screen.findByRole('button', { name: button })).toBeTruthy();
});
