import type { ImportForm, ImportReport } from '@isotherm/contracts/batches';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../testing/fake-server.ts';
import { holding, renderPage } from '../testing/render-page.tsx';
import { ConfirmWithReason } from './confirm-dialog.tsx';
import { DetailPage } from './detail-page.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { PermissionButton } from './permission-button.tsx';

it('the dialog asks for a reason and does nothing without one', async () => {
  const onConfirm = vi.fn(async () => undefined);
  const onClose = vi.fn();
  await renderPage(
    <ConfirmWithReason
      weight="reason"
      title="Disable 2 accounts"
      confirmLabel="Disable"
      onConfirm={onConfirm}
      onClose={onClose}
    />,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Disable' }));
  expect(screen.getByText('Required.')).toBeTruthy();
  expect(onConfirm).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText('Reason (recorded in the log)'), ' Left the company ');
  await userEvent.click(screen.getByRole('button', { name: 'Disable' }));
  expect(onConfirm).toHaveBeenCalledWith('Left the company');
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
});

it('the most destructive actions require the typed name, and errors of the server are shown', async () => {
  const onConfirm = vi.fn(() => Promise.reject(new Error('Still holds 3 devices.')));
  const onClose = vi.fn();
  await renderPage(
    <ConfirmWithReason
      weight="name"
      name="Clinic"
      grave
      title="Delete"
      confirmLabel="Delete"
      onConfirm={onConfirm}
      onClose={onClose}
    />,
  );
  await userEvent.type(screen.getByLabelText('Reason (recorded in the log)'), 'Closed');
  await userEvent.type(screen.getByLabelText('Type “Clinic” to confirm'), 'Clinc');
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(screen.getByText('The name does not match.')).toBeTruthy();
  await userEvent.clear(screen.getByLabelText('Type “Clinic” to confirm'));
  await userEvent.type(screen.getByLabelText('Type “Clinic” to confirm'), 'Clinic');
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Still holds 3 devices.')).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});

it.each([
  { holds: ['page:edit'], rule: { permission: 'page:edit' }, state: 'enabled' },
  { holds: [], rule: { permission: 'page:edit' }, state: 'hidden' },
  { holds: [], rule: { permission: 'page:edit', whenDenied: 'disable' as const }, state: 'disabled' },
  {
    holds: ['page:edit', 'page:read'],
    rule: { permission: 'page:edit', hiddenBy: 'page:read' },
    state: 'hidden',
  },
  { holds: ['page:edit'], rule: { permission: 'page:edit', hiddenBy: 'page:read' }, state: 'enabled' },
])('a button with $rule is $state for a user with $holds', async ({ holds, rule, state }) => {
  const fake = fakeServer();
  holding(fake, ...holds);
  await renderPage(
    <>
      <p>Here</p>
      <PermissionButton {...rule}>Edit</PermissionButton>
    </>,
  );
  await vi.waitFor(() => expect(fake.calls.length).toBeGreaterThan(0));
  await vi.waitFor(() => {
    const button = screen.queryByRole<HTMLButtonElement>('button', { name: 'Edit' });
    expect(button === null ? 'hidden' : button.disabled ? 'disabled' : 'enabled').toBe(state);
  });
});

it('an import is checked before anything is written, and failures are listed row by row', async () => {
  const checked: ImportReport = {
    ignored: ['Colour'],
    rows: 3,
    success: 2,
    fail: 1,
    failures: [{ row: 3, column: 'E-mail', value: 'nobody', message: 'Enter a valid e-mail address.' }],
    written: false,
  };
  const onImport = vi.fn(async ({ dryRun }: ImportForm) => ({ ...checked, written: dryRun === 'false' }));
  const onDone = vi.fn();
  await renderPage(
    <ImportDialog
      title="Import accounts"
      help="Fill in the template."
      onTemplate={async () => undefined}
      onImport={onImport}
      onDone={onDone}
      onClose={vi.fn()}
    />,
  );
  const input = screen.getByLabelText('Choose a file or drop it here');
  const upload = userEvent.setup({ applyAccept: false });
  await upload.upload(input, new File(['x'], 'users.csv'));
  expect(screen.getByText('Upload format must be xls or xlsx.')).toBeTruthy();
  expect(onImport).not.toHaveBeenCalled();
  await upload.upload(input, new File(['x'], 'users.xlsx'));
  expect(
    await screen.findByText(/3 rows checked, nothing imported yet: 2 valid, 1 with errors/),
  ).toBeTruthy();
  expect(screen.getByRole('cell', { name: 'Enter a valid e-mail address.' })).toBeTruthy();
  expect(screen.getByText('Unknown columns ignored: Colour')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
  expect(await screen.findByText('2 updated successfully, 1 failed')).toBeTruthy();
  expect(onImport.mock.calls.map(([{ dryRun }]) => dryRun)).toEqual(['true', 'false']);
  expect(onDone).toHaveBeenCalledTimes(1);
});

it('the address contains the open tab, arrow keys move the focus, and Enter opens a tab', async () => {
  const { search } = await renderPage(
    <DetailPage
      title="Lin Yue"
      facts={[{ label: 'Account', value: 'lin.yue' }]}
      tabs={[
        { key: 'overview', label: 'Overview', content: () => <p>All about it</p> },
        { key: 'sessions', label: 'Sessions', count: 2, content: () => <p>Two browsers</p> },
      ]}
    />,
    { at: '/?tab=sessions' },
  );
  expect(screen.getByText('Two browsers')).toBeTruthy();
  screen.getByRole('tab', { name: /Sessions/ }).focus();
  await userEvent.keyboard('{ArrowRight}{Enter}');
  expect(await screen.findByText('All about it')).toBeTruthy();
  await vi.waitFor(() => expect(search().get('tab')).toBeNull());
});
