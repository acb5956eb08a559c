import { getAssetRecord } from '@isotherm/contracts/asset-registry';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { aRecord } from '../../../shared/testing/data.ts';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { RecordTab } from './record-tab.tsx';

afterEach(cleanup);

async function tab(...permissions: string[]) {
  const fake = fakeServer();
  holding(fake, ...permissions);
  fake.answer(getAssetRecord, () => aRecord());
  await renderPage(<RecordTab assetId={7} />);
  await screen.findByText('15.5 m³');
}

it('tells what the register holds of the kind, and is changed by who may', async () => {
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

it('prints a label whose code opens the asset', async () => {
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
