import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../shared/testing/render-page.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { SplitFrame } from './split-frame.tsx';

function Page() {
  const [params, change] = useUrlState();
  const open = params.get('open') ?? 'a';
  return (
    <SplitFrame
      chosen={params.has('open')}
      onBack={() => change({ open: null })}
      list={
        <nav aria-label="List">
          {['a', 'b'].map((each) => (
            <button
              key={each}
              type="button"
              aria-current={each === open ? 'true' : undefined}
              onClick={() => change({ open: each })}
            >
              Entry {each}
            </button>
          ))}
        </nav>
      }
    >
      <p>Detail of {open}</p>
    </SplitFrame>
  );
}

it('the list and the detail appear side by side if there is room', async () => {
  await renderPage(<Page />);
  expect(screen.getByText('Detail of a')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Entry b' }));
  expect(await screen.findByText('Detail of b')).toBeTruthy();
  expect(screen.getByRole('navigation', { name: 'List' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Back to list' })).toBeNull();
});

it('on a phone the list and the detail appear one at a time, with a back link', async () => {
  await renderPage(<Page />, { narrow: true });
  expect(screen.queryByText('Detail of a')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Entry b' }));
  expect(await screen.findByText('Detail of b')).toBeTruthy();
  expect(screen.queryByRole('navigation', { name: 'List' })).toBeNull();
  const back = screen.getByRole('button', { name: 'Back to list' });
  expect(document.activeElement).toBe(back);
  await userEvent.click(back);
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Entry a' })),
  );
  expect(screen.queryByText('Detail of b')).toBeNull();
});
