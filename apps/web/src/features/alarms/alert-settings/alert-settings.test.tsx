import {
  assignPolicy,
  copyPolicy,
  createPolicy,
  explainAssetPolicies,
  listPolicies,
} from '@isotherm/contracts/alarm-policies';
import {
  type AlertSetting,
  assignPolicyToMany,
  copyAlertSettings,
  endOwnRulesOfMany,
  listAlertSettings,
} from '@isotherm/contracts/alert-settings';
import { getAssetTree, listAssetGroups } from '@isotherm/contracts/asset-groups';
import { listAssets } from '@isotherm/contracts/asset-registry';
import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { AssetPolicies } from '../policies/asset-policies.tsx';
import AlertSettings from './device-alert-settings.page.tsx';

function aSetting(changes: Partial<AlertSetting> = {}): AlertSetting {
  return {
    channelId: 11,
    channelName: 'Air, top shelf',
    indicator: 'temperature',
    sensor: 1,
    deviceNumber: '60120131',
    assetId: 3,
    assetName: 'Vaccine fridge 03',
    assetKind: 'refrigerator',
    organizationId: 1,
    organizationName: 'HQ',
    source: 'policy',
    rules: [
      {
        id: 1,
        kind: 'high',
        level: 2,
        limitValue: 8,
        recoveryMargin: 0.5,
        triggerAfterMs: 300_000,
        policy: { id: 5, name: 'Vaccines' },
      },
    ],
    policies: [{ id: 5, name: 'Vaccines', target: { kind: 'asset-group', name: 'Pharmacy' } }],
    ...changes,
  };
}
const bare = aSetting({
  channelId: 12,
  assetId: 4,
  assetName: 'Fridge 04',
  source: 'none',
  rules: [],
  policies: [],
});
const own = aSetting({ channelId: 13, assetId: 5, assetName: 'Freezer 05', source: 'own', policies: [] });

async function page(items: AlertSetting[], ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-policies:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listAssetGroups, () => []);
  fake.answer(getAssetTree, () => []);
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(listPolicies, () => ({ items: [], total: 0 }));
  fake.answer(listAssets, () => ({ items: [], total: 0 }) as never);
  fake.answer(listAlertSettings, () => ({ items, total: items.length, none: 1, own: 1, policy: 1 }));
  await renderPage(<AlertSettings />, { at: '/' });
  return fake;
}
const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement;
const choose = async (name: string) => userEvent.click(within(await rowOf(name)).getByRole('checkbox'));

it('each channel shows its rules, their source and the assignment that wins', async () => {
  await page([aSetting(), bare, own]);
  const row = within(await rowOf('Vaccine fridge 03'));
  expect(row.getByText('8.0 °C')).toBeTruthy();
  expect(row.getByRole('link', { name: 'Vaccines' })).toBeTruthy();
  expect(row.getByText(/assigned to Pharmacy/)).toBeTruthy();
  expect(within(await rowOf('Fridge 04')).getByText('No limits set')).toBeTruthy();
  expect(within(await rowOf('Freezer 05')).getByText('Set at registration')).toBeTruthy();
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('the view of channels without limits asks the server for them', async () => {
  const fake = await page([bare]);
  await userEvent.click(await screen.findByRole('button', { name: /No limits set/ }));
  await screen.findByText('Fridge 04');
  const asked = fake.called(listAlertSettings).at(-1)?.asked.query;
  expect(Object.fromEntries(asked ?? [])).toMatchObject({ source: 'none' });
});

it('a template becomes a policy that is assigned to the assets of the selected channels', async () => {
  const fake = await page([bare], 'edit');
  fake.answer(createPolicy, () => ({ id: 9, name: 'Fridges' }) as never);
  fake.answer(assignPolicyToMany, () => ({ success: 1, fail: 0, failures: [] }));
  await choose('Fridge 04');
  await userEvent.click(screen.getByRole('button', { name: 'Apply template' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('combobox', { name: /Template/ }));
  await userEvent.click(await screen.findByTitle(/Vaccine refrigerator/));
  await userEvent.type(drawer.getByRole('textbox', { name: /Name of the new policy/ }), 'Fridges');
  await userEvent.click(drawer.getByRole('button', { name: 'Apply template' }));
  expect(await screen.findByText('Policy Fridges created and assigned')).toBeTruthy();
  expect(fake.called(assignPolicyToMany)[0]?.asked.json).toEqual({
    policyId: 9,
    targets: [{ kind: 'asset', id: 4 }],
    endOwn: false,
  });
});

it('own rules are ended with a reason, and what failed is listed', async () => {
  const fake = await page([own], 'edit');
  fake.answer(endOwnRulesOfMany, () => ({
    success: 0,
    fail: 1,
    failures: [{ id: 5, name: 'Freezer 05', message: 'This asset does not exist.' }],
  }));
  await choose('Freezer 05');
  await userEvent.click(screen.getByRole('button', { name: 'End own rules' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox'), 'Replaced by the policy');
  await userEvent.click(dialog.getByRole('button', { name: 'End own rules' }));
  expect(await screen.findByText('This asset does not exist.')).toBeTruthy();
  expect(fake.called(endOwnRulesOfMany)[0]?.asked.json).toEqual({
    assetIds: [5],
    reason: 'Replaced by the policy',
  });
});

it('settings cannot be copied without a source', async () => {
  const fake = await page([bare], 'edit');
  await choose('Fridge 04');
  await userEvent.click(screen.getByRole('button', { name: 'Copy settings from an asset' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('button', { name: 'Copy settings from an asset' }));
  expect((await drawer.findAllByText(/required/i)).length).toBeGreaterThan(0);
  expect(fake.called(copyAlertSettings)).toHaveLength(0);
});

const applying = {
  channelId: 11,
  channelName: 'Air',
  deviceNumber: '60120131',
  sensor: 1,
  quantity: 'temperature' as const,
  policyId: 5,
  policyName: 'Vaccines',
  target: { kind: 'organization' as const, name: 'HQ' },
  state: 'applies' as const,
};

async function rulesOf(policies: (typeof applying)[]) {
  const fake = fakeServer();
  holding(fake, 'alarm-policies:view', 'alarm-policies:edit');
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(explainAssetPolicies, () => policies);
  await renderPage(<AssetPolicies asset={{ id: 4, name: 'Fridge 04', organizationId: 1 }} />);
  return fake;
}

it('an asset gets limits of its own by a copy of the policy that applies to it', async () => {
  const fake = await rulesOf([applying]);
  fake.answer(copyPolicy, () => ({ id: 9, name: 'Vaccines – Fridge 04' }) as never);
  fake.answer(assignPolicy, () => []);
  await userEvent.click(await screen.findByRole('button', { name: 'Own limits for this asset' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Own limits for this asset' }));
  expect(await screen.findByText('Policy Vaccines – Fridge 04 created for this asset')).toBeTruthy();
  expect(fake.called(copyPolicy)[0]?.asked.json).toEqual({
    organizationId: 1,
    name: 'Vaccines – Fridge 04',
  });
  expect(fake.called(assignPolicy)[0]?.asked.json).toMatchObject({ kind: 'asset', id: 4 });
});

it('an asset without limits gets those of a template on its Rules tab', async () => {
  const fake = await rulesOf([]);
  fake.answer(createPolicy, () => ({ id: 9, name: 'Fridges' }) as never);
  fake.answer(assignPolicyToMany, () => ({ success: 1, fail: 0, failures: [] }));
  await userEvent.click(await screen.findByRole('button', { name: 'Apply template' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('combobox', { name: /Template/ }));
  await userEvent.click(await screen.findByTitle(/Vaccine refrigerator/));
  await userEvent.type(drawer.getByRole('textbox', { name: /Name of the new policy/ }), 'Fridges');
  await userEvent.click(drawer.getByRole('button', { name: 'Apply template' }));
  expect(await screen.findByText('Policy Fridges created and assigned')).toBeTruthy();
  expect(fake.called(assignPolicyToMany)[0]?.asked.json).toMatchObject({
    targets: [{ kind: 'asset', id: 4 }],
  });
});
