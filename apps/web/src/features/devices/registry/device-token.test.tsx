import { setDeviceToken } from '@isotherm/contracts/device-registry';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { useDeviceActions } from './device-actions.tsx';

const DEVICE = { number: '31020201', name: 'Logger 1', organizationId: 1, organizationName: 'Head office' };
const TOKEN = 'aB3dE6gH9jK2mN5pQ8sT';

function Page() {
  const { act, dialogs } = useDeviceActions();
  return (
    <>
      <button type="button" onClick={() => act('set-token', [DEVICE])}>
        Open
      </button>
      {dialogs}
    </>
  );
}

it('an access token is set with a reason, and a token of another device is reported at its field', async () => {
  const fake = fakeServer();
  const taken = 'Another device has this access token.';
  fake.answer(setDeviceToken, () => new Refusal('device.token_taken', taken, 409));
  await renderPage(<Page />);
  await userEvent.click(screen.getByRole('button', { name: 'Open' }));
  const dialog = within(await screen.findByRole('dialog'));
  const type = (name: RegExp, value: string) =>
    fireEvent.change(dialog.getByLabelText(name), { target: { value } });
  type(/^Access token/, 'short');
  type(/^Reason/, 'Moved from ThingsBoard');
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText(/Enter 20 to 64 letters/)).toBeTruthy();
  expect(fake.called(setDeviceToken)).toHaveLength(0);

  type(/^Access token/, TOKEN);
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText(taken)).toBeTruthy();
  await waitFor(() =>
    expect(fake.called(setDeviceToken)[0]?.asked.json).toEqual({
      token: TOKEN,
      reason: 'Moved from ThingsBoard',
    }),
  );
});
