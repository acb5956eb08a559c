import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../shared/api/api-error.ts';
import { startLanguage } from '../../shared/i18n/language.ts';
import { Toasts } from '../../shared/ui/toast.tsx';
import { ProfileFailure } from './profile-failure.tsx';

const TITLE = 'Your account could not be loaded';

beforeEach(() => startLanguage('en'));
afterEach(() => vi.useRealTimers());

test('if user-info is refused, the console shows the message and logs out after 1 second', async () => {
  vi.useFakeTimers();
  const leave = vi.fn();
  const error = new ApiError('permission.denied', 'Not allowed.', 403);
  render(
    <>
      <ProfileFailure error={error} retry={() => undefined} leave={leave} />
      <Toasts />
    </>,
  );
  expect(screen.getAllByText(TITLE)).toHaveLength(2);
  await act(() => vi.advanceTimersByTimeAsync(900));
  expect(leave).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(leave).toHaveBeenCalledOnce();
});

test('an outage of the server offers a retry and does not log out', async () => {
  const leave = vi.fn();
  const retry = vi.fn();
  const error = new ApiError('service.unavailable', 'The database is unavailable.', 503);
  render(<ProfileFailure error={error} retry={retry} leave={leave} />);
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(retry).toHaveBeenCalledOnce();
  expect(screen.getByText('The database is unavailable.')).toBeTruthy();
  expect(leave).not.toHaveBeenCalled();
});
