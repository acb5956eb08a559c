import { type AssetFile, listAssetFiles, readAssetFile } from '@isotherm/contracts/asset-files';
import { getAssetRecord } from '@isotherm/contracts/asset-registry';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { aRecord } from '../../../shared/testing/data.ts';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { RecordTab } from './record-tab.tsx';

const PHOTO: AssetFile = {
  id: 3,
  assetId: 7,
  assetName: 'Truck 7',
  assetCode: 'T-7',
  kind: 'photo',
  name: 'Front',
  validUntil: '',
  number: 1,
  mediaType: 'image/png',
  sizeBytes: 10,
  note: '',
  uploadedBy: 'demo.admin',
  uploadedAt: '2026-11-20T01:30:00.000Z',
};

async function tab(...permissions: string[]) {
  const fake = fakeServer();
  holding(fake, ...permissions);
  fake.answer(getAssetRecord, () => aRecord());
  fake.answer(listAssetFiles, () => ({ items: [PHOTO], total: 1 }));
  fake.answer(readAssetFile, () => new Promise<never>(() => undefined));
  await renderPage(<RecordTab assetId={7} />);
  await screen.findByText('15.5 m³');
  return fake;
}

it('the tab shows the fields of the asset kind, and a user with the permission can edit them', async () => {
  await tab('asset:view', 'asset:edit');
  expect(screen.getByText('沪A10007')).toBeTruthy();
  expect(screen.getByText('Refrigerated truck')).toBeTruthy();
  expect(screen.queryByText('Brand')).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }));
  expect(await screen.findByRole('dialog', { name: 'Edit Truck 7' })).toBeTruthy();
  cleanup();
  await tab('asset:view');
  expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull();
});

it('empty fields are listed together below the others', async () => {
  const fake = fakeServer();
  holding(fake, 'asset:view');
  fake.answer(getAssetRecord, () => ({ ...aRecord(), manufacturer: '', materialCode: '' }));
  await renderPage(<RecordTab assetId={7} />);
  const missing = await screen.findByText(/^Not filled in:/);
  expect(missing.textContent).toContain('Manufacturer');
  expect(screen.queryByText('Manufacturer')).toBeNull();
});

it('the newest photo is shown among the documents', async () => {
  const fake = await tab('asset:view', 'asset-files:view');
  await waitFor(() => expect(fake.called(listAssetFiles)).toHaveLength(1));
  expect(fake.called(listAssetFiles)[0]?.asked.query.get('kind')).toBe('photo');
  await waitFor(() => expect(fake.called(readAssetFile)).toHaveLength(1));
  expect(fake.called(readAssetFile)[0]?.asked.path).toBe('/api/asset/file/3/version/1');
});

it('the QR code of a printed label opens the asset', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  await tab('asset:view');
  await userEvent.click(screen.getByRole('button', { name: 'Label' }));
  const dialog = within(await screen.findByRole('dialog'));
  const picture = await dialog.findByAltText<HTMLImageElement>('QR code of Truck 7');
  expect(picture.src).toMatch(/^data:image\/png;base64,/);
  await waitFor(() => expect(document.querySelectorAll('.label-print .asset-label')).toHaveLength(1));
  await userEvent.click(dialog.getByRole('button', { name: 'Print' }));
  expect(print).toHaveBeenCalledOnce();
});
