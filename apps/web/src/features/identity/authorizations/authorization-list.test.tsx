import {
  type Authorization,
  createAuthorization,
  listAuthorizations,
  renewAuthorization,
  revokeAuthorization,
} from '@isotherm/contracts/authorizations';
import { getOperationTree } from '@isotherm/contracts/operations';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import AuthorizationList from './management-authorizations.page.tsx';

const KEY = {
  id: 3,
  name: 'ERP',
  organizationId: 1,
  organizationName: 'Head office',
  permissions: ['monitor:view'],
  state: 'active' as Authorization['state'],
  endReason: null as Authorization['endReason'],
  keyPrefix: 'iso_Ab12',
  createdBy: 'demo.admin',
  createdAt: '2026-11-20T01:30:00.000Z',
  expiresAt: null as string | null,
  validDays: 365 as number | null,
  lastUsedAt: null,
  lastUsedAddress: '',
  revokedAt: null,
};

async function page(at = '/', key = KEY) {
  const fake = fakeServer();
  holding(fake, ...['view', 'create', 'revoke'].map((action) => `management-authorizations:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(getOperationTree, () => [
    {
      key: 'menu:1',
      title: 'menu.monitor',
      checked: false,
      grantable: true,
      children: [{ key: 'monitor:view', title: 'operations.view', checked: false, grantable: true }],
    },
  ]);
  fake.answer(listAuthorizations, () => ({ items: [key], total: 1 }));
  const drawn = await renderPage(<AuthorizationList />, { at });
  await screen.findByText('ERP');
  return { ...drawn, fake };
}

it('the list shows only the beginning of a key', async () => {
  await page();
  expect(screen.getByText('iso_Ab12…')).toBeTruthy();
});

it('for a key that ended without being revoked the list shows the reason, and it can still be revoked', async () => {
  await page('/', { ...KEY, state: 'ended', endReason: 'maker-disabled' });
  const row = within(screen.getByRole('row', { name: /ERP/ }));
  expect(row.getByText('Ended')).toBeTruthy();
  expect(row.getByText('The account that created it is disabled.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Actions for ERP' }));
  expect(await screen.findByRole('menuitem', { name: 'Revoke' })).toBeTruthy();
});

it('a new key requires at least one permission, and is shown once', async () => {
  const { fake } = await page('/?new=1');
  fake.answer(createAuthorization, () => ({ authorization: KEY, secret: 'iso_Ab12-whole' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText('Name*'), 'ERP');
  await userEvent.click(drawer.getByRole('button', { name: 'Create' }));
  expect(drawer.getByText('At least one is needed.')).toBeTruthy();
  await userEvent.click(drawer.getByRole('checkbox', { name: /View$/ }));
  await userEvent.click(drawer.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('iso_Ab12-whole')).toBeTruthy();
  expect(fake.called(createAuthorization)[0]?.asked.json).toMatchObject({
    name: 'ERP',
    kind: 'key',
    permissions: ['monitor:view'],
    validDays: 365,
  });
});

it('the list shows in how many days a key expires, and renews it by one action', async () => {
  const expiresAt = new Date(Date.now() + 12.5 * 86_400_000).toISOString();
  const { fake } = await page('/', { ...KEY, expiresAt });
  fake.answer(renewAuthorization, () => KEY);
  expect(screen.getByText(/^ends in 1[23] days$/).className).toBe('tag');
  await userEvent.click(screen.getByRole('button', { name: 'Renew' }));
  await vi.waitFor(() =>
    expect(fake.called(renewAuthorization)[0]?.asked.path).toContain('/authorization/3/renew'),
  );
});

it('a key that expires much later is renewed from the menu of its row', async () => {
  const { fake } = await page();
  fake.answer(renewAuthorization, () => KEY);
  await userEvent.click(screen.getByRole('button', { name: 'Actions for ERP' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Renew' }));
  await vi.waitFor(() => expect(fake.called(renewAuthorization)).toHaveLength(1));
});

it('a key without an expiry date cannot be renewed', async () => {
  await page('/', { ...KEY, validDays: null });
  await userEvent.click(screen.getByRole('button', { name: 'Actions for ERP' }));
  expect(await screen.findByRole('menuitem', { name: 'Revoke' })).toBeTruthy();
  expect(screen.queryByRole('menuitem', { name: 'Renew' })).toBeNull();
});

it('the form warns of a key without an expiry date', async () => {
  await page('/?new=1', { ...KEY, expiresAt: '2027-11-20T01:30:00.000Z' });
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText('Reminders are e-mailed 30 and 7 days before it expires.')).toBeTruthy();
  fireEvent.mouseDown(drawer.getByLabelText(/^Valid for/));
  await userEvent.click(await screen.findByText('No expiry'));
  expect(drawer.getByText(/a lost key works until someone revokes it/)).toBeTruthy();
});

it('revoking a key requires a reason', async () => {
  const { fake } = await page();
  fake.answer(revokeAuthorization, () => ({ ...KEY, state: 'revoked' as const }));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for ERP' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Revoke' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Reason (recorded in the log)'), 'Leaked');
  await userEvent.click(dialog.getByRole('button', { name: 'Revoke' }));
  await vi.waitFor(() =>
    expect(fake.called(revokeAuthorization)[0]?.asked.json).toEqual({ reason: 'Leaked' }),
  );
});
