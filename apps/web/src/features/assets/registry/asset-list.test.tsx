import {
  type AssetRecord,
  createAsset,
  deleteAsset,
  editAsset,
  getAssetRecord,
  listAssets,
  restoreAsset,
} from '@isotherm/contracts/asset-registry';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { aRecord } from '../../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { AssetList } from './asset-list.tsx';

const TRUCK = aRecord();

async function page(at = '/', over: Partial<AssetRecord> = {}, permissions = ['create', 'edit', 'delete']) {
  const fake = fakeServer();
  holding(fake, ...['view', ...permissions].map((action) => `asset:${action}`));
  const record = { ...TRUCK, ...over };
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listAssets, () => ({
    items: [
      {
        ...record,
        state: { kind: 'unknown' as const, since: null, alarm: null },
        main: null,
        cause: null,
        silent: true,
      },
    ],
    total: 1,
  }));
  fake.answer(getAssetRecord, () => record);
  const drawn = await renderPage(<AssetList kind="vehicle" page="asset-vehicles" />, { at });
  await screen.findByRole('heading', { name: 'Vehicles' });
  return { ...drawn, fake };
}

const drawer = async () => within(await screen.findByRole('dialog'));
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

describe('the list of assets of one kind', () => {
  it('the list requests assets by kind, and has the columns of the kind', async () => {
    const { fake } = await page();
    expect(await screen.findByText('沪A10007')).toBeTruthy();
    expect(screen.getByText('Refrigerated truck')).toBeTruthy();
    expect(screen.getByRole('columnheader', { name: /Plate/ })).toBeTruthy();
    expect(screen.queryByRole('columnheader', { name: /Brand/ })).toBeNull();
    expect(fake.called(listAssets)[0]?.asked.query.get('kind')).toBe('vehicle');
  });

  it('a user with read access cannot change assets', async () => {
    await page('/', {}, []);
    expect(await screen.findByText('沪A10007')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Add vehicle' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Actions for Truck 7' })).toBeNull();
  });

  it('the form of a kind creates an asset with the same rules as the server', async () => {
    const { fake } = await page('/?new=1');
    fake.answer(createAsset, () => TRUCK);
    const form = await drawer();
    expect(form.queryByLabelText(/Brand/)).toBeNull();
    expect(form.queryByLabelText(/Time zone/)).toBeNull();
    type(form.getByLabelText(/^Name/), 'Truck 7');
    type(form.getByLabelText(/^Code/), 'T-7');
    type(form.getByLabelText(/^Plate/), '沪A 10007');
    type(form.getByLabelText(/^Size/), '10,20');
    type(form.getByLabelText(/^Volume/), '15.55');
    await userEvent.click(form.getByRole('button', { name: 'Add vehicle' }));
    expect(await form.findByText('Spaces are not allowed.')).toBeTruthy();
    expect(form.getByText(/three numbers separated by commas/)).toBeTruthy();
    expect(form.getByText('Use at most one decimal.')).toBeTruthy();
    expect(fake.called(createAsset)).toEqual([]);
  });

  it('deleting an asset requires a reason', async () => {
    const { fake } = await page();
    fake.answer(deleteAsset, () => null);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for Truck 7' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const asked = await drawer();
    await userEvent.type(asked.getByLabelText('Reason (recorded in the log)'), 'Sold');
    await userEvent.click(asked.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(fake.called(deleteAsset)[0]?.asked.json).toEqual({ reason: 'Sold' }));
  });

  it('a deleted asset can be restored', async () => {
    const { fake } = await page('/?deleted=true', { deletedAt: '2026-11-20T02:00:00.000Z' });
    fake.answer(restoreAsset, () => TRUCK);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for Truck 7' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Restore' }));
    await waitFor(() => expect(fake.called(restoreAsset)).toHaveLength(1));
  });
});

describe('an editor whose asset was saved by someone else', () => {
  async function second() {
    const drawn = await page('/?edit=7');
    const { fake } = drawn;
    const form = await drawer();
    fake.answer(editAsset, ({ query }) =>
      query.get('version') === '4' ? TRUCK : new Refusal('asset.changed', 'Somebody was first.', 409),
    );
    fake.answer(getAssetRecord, () => ({ ...TRUCK, version: 4, name: 'Renamed', place: 'Dock 2' }));
    type(form.getByLabelText(/^Name/), 'Mine');
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    const title = await screen.findByText('This record was changed by someone else');
    const dialog = title.closest<HTMLElement>('.ant-modal') as HTMLElement;
    return { ...drawn, form, asked: within(dialog) };
  }

  it('the editor sees the difference, and saves their own changes without overwriting the other ones', async () => {
    const { fake, asked } = await second();
    expect(asked.getByRole('row', { name: 'Name Renamed Mine' })).toBeTruthy();
    expect(asked.queryByText('Dock 2')).toBeNull();
    await userEvent.click(asked.getByRole('button', { name: 'Save my changes' }));
    await waitFor(() => expect(fake.called(editAsset)).toHaveLength(2));
    expect(fake.called(editAsset)[1]?.asked.json).toMatchObject({ name: 'Mine', place: 'Dock 2' });
  });

  it('Cancel and Esc return to the form with all input', async () => {
    const { fake, form, asked, search } = await second();
    await userEvent.click(asked.getByRole('button', { name: 'Back to the form' }));
    await waitFor(() => expect(screen.queryByText('Discard my changes')).toBeNull());
    expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Mine');
    expect(search().get('edit')).toBe('7');
    expect(fake.called(editAsset)).toHaveLength(1);
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    await screen.findByText('This record was changed by someone else');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByText('Discard my changes')).toBeNull());
    expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Mine');
  });

  it('the editor can discard their input', async () => {
    const { fake, asked, search } = await second();
    await userEvent.click(asked.getByRole('button', { name: 'Discard my changes' }));
    await waitFor(() => expect(search().get('edit')).toBeNull());
    expect(fake.called(editAsset)).toHaveLength(1);
  });
});
