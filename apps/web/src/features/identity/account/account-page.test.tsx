import {
  type AccountInfo,
  beginSecondFactor,
  changeTelephone,
  confirmSecondFactor,
  endOtherSessions,
  getAccount,
  listOwnSessions,
  setPageSettings,
  setQuietHours,
} from '@isotherm/contracts/account';
import { changePassword } from '@isotherm/contracts/identity';
import { decryptPassword } from '@isotherm/contracts/password-cipher';
import { sendCodeToNewPhone } from '@isotherm/contracts/verification';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { answerPublicKey } from '../../../shared/testing/password-key.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import AccountPage from './management-account.page.tsx';

const ACCOUNT: AccountInfo = {
  username: 'lin.yue.01',
  realname: 'Lin Yue',
  mobile: '13812345678',
  landline: '',
  email: '',
  emailFails: false,
  address: '',
  description: '',
  avatar: '',
  organizationName: 'Minhang',
  roles: [{ code: 'operator', name: '' }],
  timeZoneCode: 'Asia/Shanghai',
  language: '',
  secondFactor: false,
  secondFactorRequired: false,
  quietHours: null,
  pageRefreshInterval: 300 as const,
  ShowReportWarningInfo: false,
  recoveryCodesLeft: 0,
};

async function page(at: string) {
  const fake = fakeServer();
  fake.answer(getAccount, () => ACCOUNT);
  const drawn = await renderPage(<AccountPage />, { at });
  await screen.findByRole('heading', { name: 'Lin Yue' });
  return { ...drawn, fake };
}

it('the password is changed by the rules of requirements §5, and only its encrypted form is sent', async () => {
  const { fake } = await page('/?tab=security');
  const privateKey = answerPublicKey(fake);
  let wrong = true;
  fake.answer(changePassword, () =>
    wrong
      ? new Refusal('password.wrong', 'The old password is wrong.', 422)
      : { token: 'token-2', tokentime: 7200 },
  );
  const change = () => userEvent.click(screen.getByRole('button', { name: 'Change password' }));
  await userEvent.type(screen.getByLabelText(/^Current password/), 'cold-2026');
  await userEvent.type(screen.getByLabelText('New password*'), 'cold-2026');
  await userEvent.type(screen.getByLabelText(/^Repeat new password/), 'other');
  await change();
  expect(screen.getByText('Must differ from the old one.')).toBeTruthy();
  expect(screen.getByText('The entries do not match.')).toBeTruthy();
  for (const label of ['New password*', 'Repeat new password*']) {
    await userEvent.clear(screen.getByLabelText(label));
    await userEvent.type(screen.getByLabelText(label), 'petrol-band-77');
  }
  await change();
  expect(await screen.findByText('The old password is wrong.')).toBeTruthy();
  wrong = false;
  await change();
  expect(await screen.findByText(/Password changed/)).toBeTruthy();
  const sent = fake.called(changePassword)[1]?.asked.fields;
  expect(decryptPassword(privateKey, sent?.newPassword ?? '')).toEqual({
    nonce: 'nonce-1',
    password: 'petrol-band-77',
  });
  expect(screen.getByLabelText<HTMLInputElement>('New password*').value).toBe('');
});

it('the mobile number is changed by a code sent to the new number, at most one code per 60 seconds', async () => {
  const { fake, search } = await page('/?phone=1');
  fake.answer(sendCodeToNewPhone, () => ({ resendAfter: 60 }));
  fake.answer(changeTelephone, () => ({ ...ACCOUNT, mobile: '13900001111' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('button', { name: 'Send code' }));
  expect(drawer.getByText('Enter the new number first.')).toBeTruthy();
  await userEvent.type(drawer.getByLabelText(/^New mobile/), '13900001111');
  await userEvent.click(drawer.getByRole('button', { name: 'Send code' }));
  expect(await drawer.findByRole('button', { name: /60|59/ })).toHaveProperty('disabled', true);
  await userEvent.type(drawer.getByLabelText(/code/i, { selector: 'input' }), '123456');
  await userEvent.click(drawer.getByRole('button', { name: 'Change number' }));
  await vi.waitFor(() => expect(search().get('phone')).toBeNull());
  expect(fake.called(changeTelephone)[0]?.asked.fields).toEqual({
    oldPhone: '13812345678',
    newPhone: '13900001111',
    code: '123456',
  });
});

it('the second factor is enabled by a code, and the recovery codes are shown once', async () => {
  const { fake } = await page('/?tab=security');
  answerPublicKey(fake);
  fake.answer(beginSecondFactor, () => ({ secret: 'ABCDEFGH', uri: 'otpauth://totp/x?secret=ABCDEFGH' }));
  fake.answer(confirmSecondFactor, () => ({ recoveryCodes: ['aaaa-1111', 'bbbb-2222'] }));
  await userEvent.click(screen.getByRole('button', { name: 'Set up an authenticator' }));
  await userEvent.type(await screen.findByLabelText(/^Your password/), 'warm-kettle-9');
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('ABCD EFGH')).toBeTruthy();
  const dialog = within(screen.getByRole('dialog'));
  await userEvent.type(dialog.getByLabelText(/^Code from the app/), '12345');
  await userEvent.click(dialog.getByRole('button', { name: 'Turn on' }));
  expect(dialog.getByText('Enter six digits.')).toBeTruthy();
  await userEvent.type(dialog.getByLabelText(/^Code from the app/), '6');
  await userEvent.click(dialog.getByRole('button', { name: 'Turn on' }));
  expect(await screen.findByText(/aaaa-1111/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: "I've saved it" }));
  await vi.waitFor(() => expect(screen.queryByText(/aaaa-1111/)).toBeNull());
});

it('the user sets quiet hours for some weekdays, and a time is required', async () => {
  const { fake } = await page('/?tab=preferences');
  fake.answer(setQuietHours, () => null);
  await userEvent.click(screen.getByRole('switch', { name: 'Quiet hours' }));
  const panel = within(screen.getByRole('switch', { name: 'Quiet hours' }).closest('section') as HTMLElement);
  await userEvent.clear(panel.getByLabelText(/^Until/));
  await userEvent.click(panel.getByRole('button', { name: 'Save' }));
  expect(fake.called(setQuietHours)).toEqual([]);
  await userEvent.type(panel.getByLabelText(/^Until/), '06:30');
  await userEvent.click(panel.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(fake.called(setQuietHours)).toHaveLength(1));
  expect(fake.called(setQuietHours)[0]?.asked.json).toEqual({
    quietHours: { days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', until: '06:30' },
  });
});

it('the user chooses how often lists are loaded and whether reports list alarms', async () => {
  const { fake } = await page('/?tab=preferences');
  fake.answer(setPageSettings, () => null);
  const alarms = await screen.findByRole('switch', { name: /alarms/ });
  const panel = within(alarms.closest('section') as HTMLElement);
  await userEvent.click(panel.getByRole('combobox'));
  await userEvent.click(await screen.findByTitle('Every 15 min'));
  await userEvent.click(alarms);
  await userEvent.click(panel.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(fake.called(setPageSettings)).toHaveLength(1));
  expect(fake.called(setPageSettings)[0]?.asked.json).toEqual({
    pageRefreshInterval: 900,
    ShowReportWarningInfo: true,
  });
});

it('the user can end all other sessions, and keeps the current one', async () => {
  const fake = fakeServer();
  fake.answer(getAccount, () => ACCOUNT);
  const at = '2026-11-20T01:30:00.000Z';
  const session = { address: '10.0.0.8', createdAt: at, lastSeenAt: at };
  fake.answer(listOwnSessions, () => [
    { ...session, id: 'a', client: 'Chrome, Windows', current: true },
    { ...session, id: 'b', client: 'Safari, iOS', current: false },
  ]);
  fake.answer(endOtherSessions, () => ({ ended: 1 }));
  await renderPage(<AccountPage />, { at: '/?tab=sessions' });
  await screen.findByText('this browser');
  await userEvent.click(screen.getByRole('button', { name: 'Log out other sessions' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Log out other sessions' }));
  expect(await screen.findByText('1 other session ended.')).toBeTruthy();
});
