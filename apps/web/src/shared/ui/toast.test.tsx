import { act, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../testing/render-page.tsx';
import { toast } from './toast.tsx';

it('toasts can be closed and disappear after 2 seconds', async () => {
  await renderPage(<div />);
  vi.useFakeTimers();
  act(() => toast('failure', 'Operation failed'));
  expect(screen.getByRole('alert').textContent).toContain('Operation failed');
  act(() => void vi.advanceTimersByTime(1999));
  expect(screen.queryByRole('alert')).not.toBeNull();
  act(() => void vi.advanceTimersByTime(1));
  expect(screen.queryByRole('alert')).toBeNull();

  act(() => toast('success', 'Saved'));
  act(() => screen.getByRole('button', { name: 'Close' }).click());
  expect(screen.queryByText('Saved')).toBeNull();
});
