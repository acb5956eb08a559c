import {
  changeGroupMembers,
  createAssetGroup,
  getAssetTree,
  listAssetGroups,
} from '@isotherm/contracts/asset-groups';
import { listAssets } from '@isotherm/contracts/asset-registry';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { aListedAsset } from '../../../shared/testing/data.ts';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import GroupPage from './asset-group.page.tsx';
import GroupList from './asset-groups.page.tsx';

const group = (id: number, parentId: number | null, name: string, assets = 0) => ({
  id,
  parentId,
  name,
  assets,
  organizationId: 1,
  organizationName: 'Head office',
  description: '',
});
const listed = (id: number, name: string) => aListedAsset({ id, name, code: `C-${id}` });

function server() {
  const fake = fakeServer();
  holding(fake, 'asset-groups:view', 'asset-groups:edit', 'asset:view');
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listAssetGroups, () => [group(1, null, 'Vaccines'), group(2, 1, 'Floor 3', 4)]);
  fake.answer(listAssets, ({ query }) => {
    const items = query.get('organizationId') ? [listed(8, 'Truck 8')] : [listed(7, 'Truck 7')];
    return { items, total: items.length };
  });
  fake.answer(getAssetTree, () => [
    { id: 1, parentId: null, code: 'HQ', name: 'Head office', assets: 3, level: 4, silent: 0 },
    { id: 2, parentId: 1, code: 'A', name: 'Warehouse', assets: 2, level: 0, silent: 1 },
    { id: 3, parentId: 1, code: 'B', name: 'Empty shed', assets: 0, level: 0, silent: 0 },
  ]);
  return fake;
}

it('groups are listed with their parent, and a group can be created below another one', async () => {
  const fake = server();
  fake.answer(createAssetGroup, () => group(3, null, 'Winter'));
  await renderPage(<GroupList />, { at: '/?new=1' });
  expect(await screen.findByText('Floor 3')).toBeTruthy();
  // The name appears twice: as the group itself, and as the parent of the other group.
  expect(screen.getAllByRole('cell', { name: 'Vaccines' })).toHaveLength(2);
  const form = within(await screen.findByRole('dialog'));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Winter' } });
  await userEvent.click(form.getByRole('button', { name: 'Add group' }));
  await waitFor(() =>
    expect(fake.called(createAssetGroup)[0]?.asked.json).toEqual({ name: 'Winter', organizationId: 1 }),
  );
});

it('assets are selected from the tree, which shows counts and the worst state', async () => {
  const fake = server();
  fake.answer(changeGroupMembers, () => ({ success: 1, fail: 0 }));
  await renderPage(<GroupPage />, { at: '/asset/groups/2', path: '/asset/groups/:id' });
  expect(await screen.findByText('Truck 7')).toBeTruthy();
  expect(screen.getByText('Vaccines / Head office')).toBeTruthy();
  await userEvent.click((await screen.findAllByRole('button', { name: 'Add assets' }))[0] as HTMLElement);
  const dialog = within(await screen.findByRole('dialog'));
  const root = await dialog.findByText('Head office');
  expect(dialog.getByText('3')).toBeTruthy();
  expect(dialog.getByRole('button', { name: 'Choose assets' }).hasAttribute('disabled')).toBe(true);
  expect(root).toBeTruthy();
  expect(await dialog.findByText('Warehouse')).toBeTruthy();
  expect(dialog.queryByText('Empty shed')).toBeNull();
  const leaf = (await dialog.findByText('Truck 8')).closest('.ant-tree-treenode') as HTMLElement;
  fireEvent.click(leaf.querySelector('.ant-tree-checkbox') as HTMLElement);
  await userEvent.click(dialog.getByRole('button', { name: 'Add 1 asset' }));
  await waitFor(() =>
    expect(fake.called(changeGroupMembers)[0]?.asked).toMatchObject({
      path: '/api/asset/group/2/member',
      json: { add: [8] },
    }),
  );
});
