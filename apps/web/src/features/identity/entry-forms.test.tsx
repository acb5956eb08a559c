import { beginSecondFactor, confirmSecondFactor } from '@isotherm/contracts/account';
import { decryptPassword } from '@isotherm/contracts/password-cipher';
import { listRegistrationAgents, listRegistrationRoles, register } from '@isotherm/contracts/registration';
import { forgetPassword, sendCode } from '@isotherm/contracts/verification';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { configureClient } from '../../shared/api/client.ts';
import { entryStepDue, setEntryDue, writeSession } from '../../shared/api/session.ts';
import { startLanguage } from '../../shared/i18n/language.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { answerPublicKey } from '../../shared/testing/password-key.ts';
import { EnrolStep } from './enrol-step.tsx';
import { ForgotForm } from './forgot-form.tsx';
import { RegisterForm } from './register-form.tsx';

let privateKey = '';

beforeEach(async () => {
  localStorage.clear();
  await startLanguage('en', 'entry');
  configureClient({
    salt: 's',
    language: () => 'en',
    describe: (failure) => failure,
    onFailure: vi.fn(),
    onSessionOver: vi.fn(),
    onEntryDue: vi.fn(),
  });
});

function server() {
  const fake = fakeServer();
  privateKey = answerPublicKey(fake);
  fake.answer(sendCode, () => ({ resendAfter: 60 }));
  return fake;
}

it('a forgotten password is reset with a code sent to the mobile number; another code can be requested after 60 s, and the new password is sent encrypted', async () => {
  const fake = server();
  fake.answer(forgetPassword, () => Promise.resolve(null));
  const onDone = vi.fn();
  render(<ForgotForm username="demo.keeper" onDone={onDone} onLeave={vi.fn()} />);
  await userEvent.type(screen.getByLabelText(/Mobile number/), '13800138000');
  await userEvent.click(screen.getByRole('button', { name: 'Send code' }));
  const again = await screen.findByRole('button', { name: /Resend in \d+ s/ });
  expect((again as HTMLButtonElement).disabled).toBe(true);
  expect(fake.called(sendCode)[0]?.asked.fields).toEqual({
    username: 'demo.keeper',
    phone: '13800138000',
    actiontype: 'forgetpassword',
  });
  await userEvent.type(screen.getByLabelText(/Verification code/), '123456');
  await userEvent.type(screen.getByLabelText(/New password \*?$|^New password\*?$/), 'warm-kettle-9');
  await userEvent.type(screen.getByLabelText(/Repeat new password/), 'warm-kettle-8');
  await userEvent.click(screen.getByRole('button', { name: 'Set new password' }));
  expect(await screen.findByText('The entries do not match.')).toBeTruthy();
  await userEvent.type(screen.getByLabelText(/Repeat new password/), '{Backspace}9');
  await userEvent.click(screen.getByRole('button', { name: 'Set new password' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  const { password = '', ...rest } =
    fake.called(forgetPassword).at(0)?.asked.fields ?? ({} as Record<string, string>);
  expect(rest).toEqual({
    username: 'demo.keeper',
    phone: '13800138000',
    code: '123456',
    serviceloginkey: 'nonce-1',
  });
  expect(decryptPassword(privateKey, password)?.password).toBe('warm-kettle-9');
});

it('after a request that was too early, the countdown shows the remaining time from the server', async () => {
  const fake = fakeServer();
  answerPublicKey(fake);
  fake.answer(
    sendCode,
    () => new Refusal('code.too_soon', 'Ask again in 41 s.', 429, { 'retry-after': '41' }),
  );
  render(<ForgotForm username="demo.keeper" onDone={vi.fn()} onLeave={vi.fn()} />);
  await userEvent.type(screen.getByLabelText(/Mobile number/), '13800138000');
  await userEvent.click(screen.getByRole('button', { name: 'Send code' }));
  const again = await screen.findByRole('button', { name: /Resend in (41|40) s/ });
  expect((again as HTMLButtonElement).disabled).toBe(true);
});

it('the registration shows violations of requirements §5 and refusals of the server below their fields', async () => {
  const fake = server();
  fake.answer(listRegistrationRoles, () => [{ id: 6, code: 'operator', name: 'operator' }]);
  fake.answer(listRegistrationAgents, () => []);
  let tries = 0;
  fake.answer(register, () => {
    tries += 1;
    return tries === 1 ? new Refusal('user.username_taken', 'Taken.', 409) : { approval: 'pending' as const };
  });
  const onDone = vi.fn();
  render(<RegisterForm onDone={onDone} onLeave={vi.fn()} />);
  const submit = screen.getByRole('button', { name: 'Register' });
  const fill = (label: RegExp, value: string) => userEvent.type(screen.getByLabelText(label), value);
  await fill(/^Account/, '1wangfang');
  await userEvent.click(submit);
  expect(screen.getByText('Must start with a letter.')).toBeTruthy();
  await userEvent.clear(screen.getByLabelText(/^Account/));
  await fill(/^Account/, 'wang.fang');
  await fill(/^Full name/, 'Wang Fang');
  await fill(/^Organisation/, 'Minhang Clinic');
  await screen.findByRole('option', { name: 'Operator' });
  await userEvent.selectOptions(screen.getByLabelText(/^Role/), 'Operator');
  await fill(/^Mobile number/, '13800138000');
  await fill(/^Verification code/, '123456');
  await fill(/^Password\*?$/, 'warm-kettle-9');
  await fill(/^Repeat password/, 'warm-kettle-9');
  await userEvent.click(submit);
  expect(await screen.findByText('Taken.')).toBeTruthy();
  await userEvent.click(submit);
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('pending'));
  expect(fake.called(register)[1]?.asked.fields).toMatchObject({ username: 'wang.fang', roleId: '6' });
});

it('the set-up of a second factor shows secret and QR code, then the recovery codes once', async () => {
  writeSession('demo.keeper', 'token', 7200, Date.now());
  setEntryDue('second-factor', true);
  const fake = server();
  fake.answer(beginSecondFactor, () => ({ secret: 'ABCDEFGH', uri: 'otpauth://totp/x?secret=ABCDEFGH' }));
  fake.answer(confirmSecondFactor, () => ({ recoveryCodes: ['aaaa-bbbb', 'cccc-dddd'] }));
  const onDone = vi.fn();
  render(<EnrolStep onDone={onDone} onLeave={vi.fn()} />);
  expect(await screen.findByText('ABCD EFGH')).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Code from the app'), '123456{Enter}');
  expect(await screen.findByText('aaaa-bbbb')).toBeTruthy();
  expect(entryStepDue()).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: "I've saved them, continue" }));
  expect(onDone).toHaveBeenCalledOnce();
});
