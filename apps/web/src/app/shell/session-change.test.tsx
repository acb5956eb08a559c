import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { clearSession, writeSession } from '../../shared/api/session.ts';
import { startLanguage } from '../../shared/i18n/language.ts';
import { SessionChange } from './session-change.tsx';

const inAnotherTab = (change: () => void) =>
  act(() => {
    change();
    window.dispatchEvent(new StorageEvent('storage', { key: 'isotherm.token' }));
  });

beforeEach(async () => {
  await startLanguage('en');
  writeSession('demo.manager', 'token-1', 7200, Date.now());
  render(<SessionChange />);
});

it('no message appears while the account is the same, even with a new token', () => {
  inAnotherTab(() => writeSession('demo.manager', 'token-2', 7200, Date.now()));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('a message appears when another account has logged in in another tab', async () => {
  inAnotherTab(() => writeSession('demo.auditor', 'token-3', 7200, Date.now()));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('demo.auditor');
});

it('a message appears when the session has ended in another tab', async () => {
  inAnotherTab(clearSession);
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('Log in');
});

it('the message is closed only by its button, or when the account logs in again in the other tab', async () => {
  inAnotherTab(() => writeSession('demo.auditor', 'token-3', 7200, Date.now()));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getAllByRole('button')).toHaveLength(1);
  expect(within(dialog).getByRole('button', { name: 'Continue as demo.auditor' })).toBeTruthy();
  fireEvent.keyDown(dialog, { key: 'Escape' });
  expect(screen.getByRole('dialog')).toBe(dialog);
  inAnotherTab(() => writeSession('demo.manager', 'token-4', 7200, Date.now()));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
