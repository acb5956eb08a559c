import {
  type CalibrationView,
  calibrationFiles,
  countCalibrations,
  deleteCalibration,
  editCalibration,
  getCalibration,
  listCalibrations,
  listUncalibratedSensors,
} from '@isotherm/contracts/calibrations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { browserZone, formatTime } from '../../../shared/format/time.ts';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import CalibrationPage from './device-calibration.page.tsx';

const SENSOR: CalibrationView['sensor'] = {
  id: 7,
  index: 1,
  name: 'Top shelf',
  serial: 'S-0001',
  deviceNumber: '10000001',
  assetName: 'Fridge 1',
  channels: [
    { id: 70, name: 'Air, top shelf', indicator: 'temperature' },
    { id: 71, name: 'Door', indicator: 'door' },
  ],
};
const CERTIFICATE: CalibrationView = {
  id: 4,
  sensor: SENSOR,
  serial: 'S-0001',
  organizationName: 'Head office',
  certificate: 'CNAS-1',
  laboratory: 'Metrology',
  calibratedOn: '2026-01-10',
  dueOn: '2027-01-10',
  appliedFrom: '2026-01-11T00:00:00.000Z',
  endedAt: null,
  state: 'valid',
  superseded: false,
  files: 0,
  points: [{ channelId: 70, reference: 5, reading: 5.3, uncertainty: 0.05 }],
  note: '',
  changedBy: 'demo.quality',
  changedAt: '2026-01-11T01:30:00.000Z',
};

async function page(at = '/', items: CalibrationView[] = [CERTIFICATE], permissions = ['view', 'edit']) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((action) => `device-calibration:${action}`));
  fake.answer(listCalibrations, () => ({ items, total: items.length }));
  fake.answer(countCalibrations, () => ({ never: 3, valid: 9, 'due-soon': 2, overdue: 1 }));
  fake.answer(getCalibration, () => items[0] ?? CERTIFICATE);
  fake.answer(listUncalibratedSensors, () => ({
    items: [{ ...SENSOR, organizationName: 'Head office' }],
    total: 1,
  }));
  fake.answer(calibrationFiles.list, () => []);
  const drawn = await renderPage(<CalibrationPage />, { at });
  await screen.findByRole('heading', { name: 'Calibration' });
  return { ...drawn, fake };
}

async function drawer() {
  return within(await screen.findByRole('dialog'));
}

describe('calibration certificates', () => {
  it('the page counts certificates by state', async () => {
    await page();
    expect(await screen.findByRole('button', { name: 'Due soon 2' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Current 12' })).toBeTruthy();
    expect(await screen.findByText('CNAS-1')).toBeTruthy();
    expect(screen.getByText(/Corrected since 11 Jan 2026/)).toBeTruthy();
  });

  it('sensors without a certificate are listed, and a certificate can be created from the list', async () => {
    const { fake } = await page('/?tab=never');
    expect(await screen.findByRole('tab', { name: 'Never calibrated 3' })).toBeTruthy();
    await screen.findByText('S-0001');
    await userEvent.click(
      within(screen.getByRole('table')).getByRole('button', { name: 'Record certificate' }),
    );
    const form = await drawer();
    expect(form.getAllByText('10000001 · 1 Top shelf')).not.toHaveLength(0);
    expect(form.getByRole('button', { name: 'Add point' }).hasAttribute('disabled')).toBe(false);
    expect(fake.called(listUncalibratedSensors)[0]?.asked.query.get('sort')).toBe('deviceNumber');
  });

  it('a user with read access sees a certificate with its points', async () => {
    await page('/', [CERTIFICATE], ['view']);
    await userEvent.click(await screen.findByText('CNAS-1'));
    const shown = await drawer();
    expect(await shown.findByText('0.30 °C')).toBeTruthy();
    expect(shown.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  it('the form shows the error of a point during input, and saves it', async () => {
    const { fake } = await page('/?calibration=4');
    fake.answer(editCalibration, () => CERTIFICATE);
    const form = await drawer();
    await userEvent.click(form.getByRole('button', { name: 'Add point' }));
    const point = within(form.getByRole('group', { name: 'Point 2' }));
    await userEvent.type(point.getByLabelText('Reference'), '0');
    await userEvent.type(point.getByLabelText('Sensor reading'), '-0.2');
    expect(point.getByText('−0.20 °C')).toBeTruthy();
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    await vi.waitFor(() =>
      expect(fake.called(editCalibration)[0]?.asked.json).toMatchObject({
        certificate: 'CNAS-1',
        dueOn: '2027-01-10',
        note: '',
        points: [
          { channelId: 70, reference: 5, reading: 5.3, uncertainty: 0.05 },
          { channelId: 70, reference: 0, reading: -0.2, uncertainty: null },
        ],
      }),
    );
  });

  it.each([
    ['Saved. Corrected readings appear within a second.', CERTIFICATE.points],
    ['Saved.', []],
  ])('after saving, the message is “%s” for the points %j', async (message, points) => {
    const appliedFrom = points.length > 0 ? CERTIFICATE.appliedFrom : null;
    const saved = { ...CERTIFICATE, points, appliedFrom };
    const { fake } = await page('/?calibration=4', [saved]);
    fake.answer(editCalibration, () => saved);
    const form = await drawer();
    await userEvent.type(form.getByRole('textbox', { name: /^Certificate/ }), '2');
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText(message)).toBeTruthy();
  });

  it('the default date is today, and the form says what is missing before a point can be added', async () => {
    await page('/?new=1');
    const form = await drawer();
    expect(form.getByLabelText<HTMLInputElement>(/Calibrated on/).value).toBe(
      formatTime(Date.now(), 'date', 'en', browserZone()),
    );
    const add = form.getByRole('button', { name: 'Add point' });
    expect(add.hasAttribute('disabled')).toBe(true);
    expect(document.getElementById(add.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(
      /Choose the sensor first/,
    );
  });

  it('a warning before deletion says that past readings are no longer corrected', async () => {
    const { fake } = await page();
    fake.answer(deleteCalibration, () => null);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for CNAS-1' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const asked = await drawer();
    expect(asked.getByText(/correction no longer applies/)).toBeTruthy();
    await userEvent.type(asked.getByLabelText('Reason (recorded in the log)'), 'Wrong sensor');
    await userEvent.click(asked.getByRole('button', { name: 'Delete' }));
    await vi.waitFor(() => expect(fake.called(deleteCalibration)).toHaveLength(1));
  });
});
