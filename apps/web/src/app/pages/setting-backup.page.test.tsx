import {
  type BackupConfiguration,
  createBackup,
  getBackupService,
  getInstallationBackups,
  listBackups,
} from '@isotherm/contracts/backups';
import { startPremiumTrial } from '@isotherm/contracts/premium';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import SettingBackupPage from './setting-backup.page.tsx';

const backup: BackupConfiguration = {
  id: 4,
  organizationId: 1,
  organizationName: 'Clinic',
  title: 'Fridges',
  fileName: 'fridges',
  interval: 'week',
  devices: ['41000001', '41000002'],
  recipients: ['auditor@example.com'],
  language: 'en',
  enabled: false,
  timeZone: 'Asia/Shanghai',
  owner: 'Lin',
  dueAt: null,
  pauseReason: 'backup.inactive',
  last: { at: '2026-11-23T00:00:00Z', state: 'failed' },
  changedBy: 'lin',
  changedAt: '2026-11-25T00:00:00Z',
};
const service = {
  organizationId: 1,
  state: 'not-activated' as const,
  until: null,
  deviceLimit: 0,
  mayTry: true,
  canDeliver: false,
};

function serve(items: BackupConfiguration[]) {
  const fake = fakeServer();
  holding(fake, 'setting-backup:view', 'setting-backup:edit', 'management-premium:trial');
  fake.answer(listBackups, () => ({ items, total: items.length }));
  fake.answer(getBackupService, () => service);
  return fake;
}

it('without the service the page says what it does and offers the trial', async () => {
  const fake = serve([]);
  fake.answer(startPremiumTrial, () => ({ organizationId: 1, organizationName: 'Clinic', services: [] }));
  await renderPage(<SettingBackupPage />);
  const panel = within(await screen.findByRole('region', { name: 'Data backup service' }));
  panel.getByText('Not activated');
  panel.getByText(/a CSV file for each device, a registered PDF/);
  panel.getByText(/This installation sends no e-mails/);
  await screen.findByText('No backups configured');
  await userEvent.click(panel.getByRole('button', { name: 'Start trial' }));
  await waitFor(() => expect(fake.called(startPremiumTrial)).toHaveLength(1));
  expect(screen.queryByRole('region', { name: 'Backup of the installation' })).toBeNull();
});

it('a list shows when backups are made and that the server has paused them', async () => {
  serve([backup]);
  await renderPage(<SettingBackupPage />);
  const row = within((await screen.findByText('Fridges')).closest('tr') as HTMLElement);
  row.getByText('2 devices');
  row.getByText('Mondays at 00:00 (Asia/Shanghai)');
  row.getByText('Paused');
  row.getByText('Failed');
});

it('an error of the list and of the service can be retried', async () => {
  const fake = serve([]);
  fake.answer(listBackups, () => new Refusal('service.unavailable', 'No database.', 503));
  await renderPage(<SettingBackupPage />);
  expect(await screen.findByRole('button', { name: 'Retry' })).toBeTruthy();
  expect(fake.called(createBackup)).toEqual([]);
});

it('an operator sees the backups of the installation with their faults', async () => {
  const fake = serve([]);
  holding(fake, 'setting-backup:view', 'setting-backup:installation');
  fake.answer(getInstallationBackups, () => ({
    keep: 7,
    items: [
      {
        id: 2,
        startedAt: '2026-11-26T01:17:00Z',
        startedBy: '',
        endedAt: '2026-11-26T01:17:30Z',
        fileName: null,
        bytes: null,
        verifiedAt: null,
        error: 'no space',
      },
      {
        id: 1,
        startedAt: '2026-11-25T01:17:00Z',
        startedBy: 'root',
        endedAt: '2026-11-25T01:18:00Z',
        fileName: 'isotherm-20261125T011700Z.backup',
        bytes: 48_000_000,
        verifiedAt: '2026-11-25T01:18:00Z',
        error: null,
      },
    ],
  }));
  await renderPage(<SettingBackupPage />);
  const panel = within(await screen.findByRole('region', { name: 'Backup of the installation' }));
  panel.getByText('Failed: no space');
  panel.getByText('Verified');
  panel.getByText('nightly');
  panel.getByText('by root');
});
