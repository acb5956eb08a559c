import {
  type AssetFileDetail,
  addFileVersion,
  deleteAssetFile,
  getAssetFile,
  listAssetFiles,
  readAssetFile,
  uploadAssetFile,
} from '@isotherm/contracts/asset-files';
import { getAssetTree } from '@isotherm/contracts/asset-groups';
import { listAssets } from '@isotherm/contracts/asset-registry';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { aListedAsset } from '../../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { FileList } from './file-list.tsx';

const VERSION = {
  number: 2,
  mediaType: 'application/pdf' as const,
  sizeBytes: 2_000_000,
  note: 'Renewed',
  uploadedBy: 'demo.admin',
  uploadedAt: '2026-11-20T01:30:00.000Z',
};
const FILE: AssetFileDetail = {
  id: 3,
  assetId: 7,
  assetName: 'Truck 7',
  assetCode: 'T-7',
  kind: 'certificate',
  name: 'Certificate',
  validUntil: '2020-01-31',
  ...VERSION,
  versions: [VERSION, { ...VERSION, number: 1, note: '' }],
};

async function page(at: string, permissions = ['view', 'edit']) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((action) => `asset-files:${action}`));
  fake.answer(listAssetFiles, () => ({ items: [FILE], total: 1 }));
  fake.answer(getAssetFile, () => FILE);
  const drawn = await renderPage(<FileList assetId={7} />, { at });
  await screen.findByText('31 Jan 2020 · expired');
  return { ...drawn, fake };
}
it('the empty list offers to add the first document, and asks for its asset first', async () => {
  const fake = fakeServer();
  holding(fake, 'asset-files:view', 'asset-files:edit');
  fake.answer(listAssetFiles, () => ({ items: [], total: 0 }));
  fake.answer(getAssetTree, () => [
    { id: 1, parentId: null, code: 'HQ', name: 'Head office', assets: 1, level: 0, silent: 0 },
  ]);
  fake.answer(listAssets, () => ({ items: [aListedAsset()], total: 1 }));
  const { router } = await renderPage(<FileList />, { at: '/asset/files', path: '/asset/files' });
  await screen.findByText('No documents yet');
  await userEvent.click(screen.getAllByRole('button', { name: 'Add document' }).at(-1) as HTMLElement);
  await userEvent.click(await screen.findByText('Truck 7'));
  await waitFor(() => expect(router.state.location.pathname).toBe('/asset/7'));
  expect(router.state.location.search).toBe('?tab=files&upload=1');
});

const dialog = async () => within(await screen.findByRole('dialog'));
const paper = (size = 10) => new File([new Uint8Array(size)], 'Paper 2026.pdf', { type: 'application/pdf' });
const chosen = async (file: File) =>
  fireEvent.change((await dialog()).getByLabelText('File', { selector: 'input' }), {
    target: { files: [file] },
  });

it("the list marks expired documents, and on the page of an asset it shows only the asset's documents", async () => {
  const { fake } = await page('/');
  expect(fake.called(listAssetFiles)[0]?.asked.query.get('assetId')).toBe('7');
});

it('an uploaded document gets the name of its file by default', async () => {
  const { fake } = await page('/?upload=1');
  fake.answer(uploadAssetFile, () => new Refusal('upload.format', 'Not a document.', 422));
  await chosen(paper(6 * 1024 * 1024));
  expect(await screen.findByText('The file is larger than 5 MB.')).toBeTruthy();
  await chosen(paper());
  const form = await dialog();
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Paper 2026');
  await userEvent.click(form.getByRole('button', { name: 'Add document' }));
  expect(await form.findByText('Not a document.')).toBeTruthy();
  expect(fake.called(uploadAssetFile)[0]?.asked.fields).toMatchObject({
    name: 'Paper 2026',
    kind: 'certificate',
  });
});

it('a PDF opens in a new tab, older versions are listed, and a newer version can be added', async () => {
  const { fake } = await page('/?file=3');
  const shown = await dialog();
  expect(await shown.findByText('Version 1')).toBeTruthy();
  expect(shown.getByRole('button', { name: 'Open' })).toBeTruthy();
  expect(shown.getByRole('button', { name: 'Download 1' })).toBeTruthy();
  expect(fake.called(readAssetFile)).toEqual([]);
  fake.answer(addFileVersion, () => FILE);
  await userEvent.click(await shown.findByRole('button', { name: 'Add version' }));
  await waitFor(() => expect(screen.getByLabelText('File', { selector: 'input' })).toBeTruthy());
  await chosen(paper());
  await userEvent.click((await dialog()).getByRole('button', { name: 'Add version' }));
  await waitFor(() =>
    expect(fake.called(addFileVersion)[0]?.asked.fields).toMatchObject({ validUntil: '2020-01-31' }),
  );
});

it('a document is deleted with a reason by users with the permission', async () => {
  const { fake } = await page('/?file=3');
  fake.answer(deleteAssetFile, () => null);
  await userEvent.click(await (await dialog()).findByRole('button', { name: 'Delete' }));
  await userEvent.type(await screen.findByLabelText('Reason (recorded in the log)'), 'Wrong one');
  const title = screen.getByText('Delete Certificate?');
  const asked = within(title.closest<HTMLElement>('[role="dialog"]') ?? document.body);
  await userEvent.click(asked.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() =>
    expect(fake.called(deleteAssetFile)[0]?.asked.json).toEqual({ reason: 'Wrong one' }),
  );
  cleanup();
  await page('/?file=3', ['view']);
  expect((await dialog()).queryByRole('button', { name: 'Delete' })).toBeNull();
});
