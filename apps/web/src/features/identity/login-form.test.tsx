import { getPuzzle, login } from '@isotherm/contracts/identity';
import { decryptPassword } from '@isotherm/contracts/password-cipher';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { configureClient } from '../../shared/api/client.ts';
import { readCookie, writeCookie } from '../../shared/api/cookies.ts';
import { entryStepDue, readSession } from '../../shared/api/session.ts';
import { startLanguage } from '../../shared/i18n/language.ts';
import { aProfile } from '../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { answerPublicKey } from '../../shared/testing/password-key.ts';
import { LoginForm } from './login-form.tsx';

let privateKey = '';
const PICTURE = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

beforeEach(async () => {
  localStorage.clear();
  for (const name of ['puzzle', 'username'] as const) writeCookie(name, '');
  await startLanguage('en');
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
  return fake;
}

it('the form sends the password only encrypted together with the nonce, and stores the session', async () => {
  const fake = server();
  fake.answer(login, () => ({ ...aProfile(), token: 'token-1', tokentime: 7200 }));
  const onDone = vi.fn();
  render(<LoginForm version="v1" onDone={onDone} onForgotten={vi.fn()} />);
  await userEvent.type(screen.getByLabelText('Account'), 'demo.keeper');
  await userEvent.type(screen.getByLabelText('Password'), 'Isotherm-2026{Enter}');
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('ready', 'Isotherm-2026'));
  const fields = fake.called(login)[0]?.asked.fields;
  expect(fields?.serviceloginkey).toBe('nonce-1');
  expect(decryptPassword(privateKey, fields?.password ?? '')).toEqual({
    nonce: 'nonce-1',
    password: 'Isotherm-2026',
  });
  expect(readSession()).toMatchObject({ token: 'token-1', username: 'demo.keeper', lifetime: 7200 });
});

it('the form is validated before the server is called', async () => {
  const fake = server();
  render(<LoginForm version="v1" onDone={vi.fn()} onForgotten={vi.fn()} />);
  await userEvent.click(screen.getByRole('button', { name: 'Log in' }));
  expect(screen.getByRole('alert').textContent).toBe('Enter your account and password.');
  expect(fake.calls).toHaveLength(0);
});

it('a failure without a server message shows the default text', async () => {
  const fake = server();
  fake.answer(login, () => new Refusal('login.wrong', ''));
  render(<LoginForm version="v1" onDone={vi.fn()} onForgotten={vi.fn()} />);
  await userEvent.type(screen.getByLabelText('Account'), 'demo.keeper');
  await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}');
  await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toBe('Login failed. Try again.'));
});

it('the puzzle appears if the server requires it, and is solved by the arrow keys', async () => {
  const fake = server();
  let tries = 0;
  fake.answer(login, ({ fields }) => {
    tries += 1;
    return fields.puzzleId === 'p-1' && fields.puzzleX === '24'
      ? { ...aProfile({ mustChangePassword: true }), token: 't', tokentime: 60 }
      : new Refusal('-9', 'Slide the piece into the gap.');
  });
  fake.answer(getPuzzle, () => ({
    puzzleId: 'p-1',
    image: PICTURE,
    piece: PICTURE,
    width: 320,
    height: 120,
    pieceSize: 44,
    pieceTop: 30,
  }));
  const onDone = vi.fn();
  render(<LoginForm version="v1" onDone={onDone} onForgotten={vi.fn()} />);
  await userEvent.type(screen.getByLabelText('Account'), 'demo.keeper');
  await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}');
  const slider = await screen.findByRole('slider');
  expect(screen.getByRole('alert').textContent).toBe('Slide the piece into the gap.');
  expect(readCookie('puzzle')).toBe('1');

  await userEvent.click(screen.getByRole('button', { name: 'Log in' }));
  expect(screen.getByRole('alert').textContent).toBe('Solve the puzzle first.');
  expect(tries).toBe(1);

  slider.focus();
  await userEvent.keyboard('{Shift>}{ArrowRight}{ArrowRight}{ArrowRight}{/Shift}');
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}');
  expect(slider.getAttribute('aria-valuenow')).toBe('24');
  await userEvent.click(screen.getByRole('button', { name: 'Log in' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('password', 'wrong'));
  expect(readCookie('puzzle')).toBe('');
});

it('the second factor is requested after the password, and again if it is wrong', async () => {
  const fake = server();
  fake.answer(login, ({ fields }) => {
    if (!fields.secondFactor) return new Refusal('login.second_factor', 'Code, please.');
    if (fields.secondFactor !== '123456') return new Refusal('login.second_factor_wrong', 'Wrong code.');
    return { ...aProfile(), token: 't', tokentime: 60 };
  });
  const onDone = vi.fn();
  render(<LoginForm version="v1" onDone={onDone} onForgotten={vi.fn()} />);
  await userEvent.type(screen.getByLabelText('Account'), 'demo.keeper');
  await userEvent.type(screen.getByLabelText('Password'), 'right{Enter}');
  const code = await screen.findByLabelText('Code');
  await userEvent.type(code, '000000{Enter}');
  expect((await screen.findByText('Wrong code.')).closest('[role="alert"]')).not.toBeNull();
  await userEvent.clear(code);
  await userEvent.type(code, '123 456{Enter}');
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('ready', 'right'));
});

it('if a role requires a second factor, its set-up comes first', async () => {
  const fake = server();
  fake.answer(login, () => ({ ...aProfile({ mustEnrolSecondFactor: true }), token: 't', tokentime: 60 }));
  const onDone = vi.fn();
  render(<LoginForm version="v1" onDone={onDone} onForgotten={vi.fn()} />);
  await userEvent.type(screen.getByLabelText('Account'), 'demo.keeper');
  await userEvent.type(screen.getByLabelText('Password'), 'right{Enter}');
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('second-factor', 'right'));
  expect(entryStepDue()).toBe('second-factor');
});
