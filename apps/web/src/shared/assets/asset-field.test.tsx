import { getAssetTree } from '@isotherm/contracts/asset-groups';
import { getAssetRecord, type ListedAsset, listAssets } from '@isotherm/contracts/asset-registry';
import { id } from '@isotherm/contracts/route';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { aListedAsset } from '../testing/data.ts';
import { fakeServer, Refusal } from '../testing/fake-server.ts';
import { renderPage } from '../testing/render-page.tsx';
import { FormDrawer } from '../ui/form/form-drawer.tsx';
import { AssetField } from './asset-field.tsx';

const listed = (number: number, changes: Partial<ListedAsset> = {}) =>
  aListedAsset({ id: number, name: `Truck ${number}`, code: `T-${number}`, organizationId: 2, ...changes });
const ASSETS = [listed(7), listed(8, { state: { kind: 'unknown', since: null, alarm: null } }), listed(70)];

async function form(field: { chosen?: number; within?: number; clearable?: boolean } = {}) {
  const fake = fakeServer();
  const submit = vi.fn(async () => undefined);
  fake.answer(getAssetTree, () => [
    { id: 1, parentId: null, code: 'HQ', name: 'Head office', assets: 3, level: 4, silent: 1 },
    { id: 2, parentId: 1, code: 'A', name: 'Yard', assets: 3, level: 4, silent: 1 },
  ]);
  fake.answer(listAssets, ({ query }) => {
    const words = (query.get('search') ?? '').toLowerCase();
    const items = ASSETS.filter(
      ({ name, code, organizationId }) =>
        `${name} ${code}`.toLowerCase().includes(words) &&
        [null, String(organizationId)].includes(query.get('organizationId')),
    );
    return { items, total: items.length };
  });
  fake.answer(getAssetRecord, ({ path }) =>
    path.includes('/8/') ? listed(8) : new Refusal('asset.not_found', 'Asset does not exist', 404),
  );
  const { chosen, ...rest } = field;
  await renderPage(
    <FormDrawer
      title="Form"
      submitLabel="Save"
      schema={z.object({ assetId: rest.clearable ? id.optional() : id })}
      initial={chosen === undefined ? {} : { assetId: chosen }}
      submit={submit}
      onClose={() => undefined}
    >
      <AssetField name="assetId" label="Asset" chosenName="Truck of old" {...rest} />
    </FormDrawer>,
  );
  const box = screen.getByRole('combobox', { name: 'Asset' });
  // In tests, antd gives both dialog elements the same accessible name.
  const picker = async () => {
    await waitFor(() => expect(screen.getAllByRole('dialog')).toHaveLength(2));
    return within(screen.getAllByRole('dialog').at(-1) as HTMLElement);
  };
  const sent = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(submit).toHaveBeenCalled());
    return submit.mock.calls[0]?.at(0);
  };
  const closed = () => waitFor(() => expect(document.activeElement).toBe(box));
  return { fake, box, picker, sent, closed };
}

it('the field works by keyboard: Enter opens it, arrows move in the tree, Enter selects, and the focus returns', async () => {
  const { box, picker, sent, closed } = await form();
  // The only field of a form gets the focus at first.
  expect(document.activeElement).toBe(box);
  await userEvent.keyboard('{Enter}');
  const dialog = await picker();
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('searchbox')));
  expect(await dialog.findByText('Yard')).toBeTruthy();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowRight}');
  expect(await dialog.findByText('Truck 8')).toBeTruthy();
  // Each node shows the worst state among its assets.
  expect(dialog.getAllByRole('img', { name: 'Level 4' })).toHaveLength(2);
  expect(dialog.getByRole('img', { name: 'No data' })).toBeTruthy();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}');
  await closed();
  expect(box.textContent).toBe('Truck 8T-8');
  expect(await sent()).toEqual({ assetId: 8 });
});

it('typing starts the search, and Enter selects an exact match even before it is loaded', async () => {
  const { box, closed } = await form();
  await userEvent.keyboard('t-7{Enter}');
  // Two assets contain the text in their code; only one has exactly this name.
  await closed();
  expect(box.textContent).toBe('Truck 7T-7');
});

it('if there are several matches, Enter selects none and the arrow keys are used', async () => {
  const { box, picker, closed } = await form();
  await userEvent.keyboard('truck{Enter}');
  const dialog = await picker();
  expect(await dialog.findByText('Truck 70')).toBeTruthy();
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('tree'));
  // Typing moves the focus from the tree back to the search field.
  await userEvent.keyboard('7');
  expect(dialog.getByRole<HTMLInputElement>('searchbox').value).toBe('truck7');
  await userEvent.keyboard('{Escape}');
  expect(dialog.getByRole<HTMLInputElement>('searchbox').value).toBe('');
  expect(document.activeElement).toBe(dialog.getByRole('searchbox'));
  await userEvent.click(dialog.getByRole('button', { name: 'Close' }));
  await closed();
  expect(box.textContent).toBe('Choose an asset');
});

it('Enter on the selected asset keeps the selection', async () => {
  const { box, picker, sent, closed } = await form({ chosen: 8 });
  await waitFor(() => expect(box.textContent).toBe('Truck 8T-8'));
  await userEvent.click(box);
  const dialog = await picker();
  // The asset is visible, because its path is expanded.
  expect(await dialog.findByText('Truck 8')).toBeTruthy();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  await closed();
  expect(await sent()).toEqual({ assetId: 8 });
});

it('the field keeps the name of an asset that the user may not see, and can be cleared if it is optional', async () => {
  const { box, sent } = await form({ chosen: 9, clearable: true });
  await waitFor(() => expect(box.textContent).toBe('Truck of old'));
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }));
  expect(box.textContent).toBe('Choose an asset');
  expect(document.activeElement).toBe(box);
  expect(await sent()).toEqual({});
});

it('the assets of a single organisation are shown as a list', async () => {
  const { fake, box, picker } = await form({ within: 2 });
  await userEvent.click(box);
  expect(await (await picker()).findByText('Truck 70')).toBeTruthy();
  expect(fake.called(getAssetTree)).toEqual([]);
  expect(fake.called(listAssets)[0]?.asked.query.toString()).toContain('organizationId=2');
});

it('for an organisation without assets, the dialog says where assets must be created', async () => {
  const { box, picker } = await form({ within: 3 });
  await userEvent.click(box);
  expect(await (await picker()).findByText('This organisation has no assets')).toBeTruthy();
});
