import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { startLanguage } from '../i18n/language.ts';
import { FilterBox } from './filter-box.tsx';
import { useUrlState } from './use-url-state.ts';

beforeEach(() => startLanguage('en'));

function Page() {
  const [params, change] = useUrlState();
  return (
    <FilterBox
      value={params.get('q') ?? ''}
      placeholder="Filter"
      onChange={(q) => change({ q, page: null })}
    />
  );
}

function page(path = '/') {
  const router = createMemoryRouter([{ path: '*', element: <Page /> }], { initialEntries: [path] });
  render(<RouterProvider router={router} />);
  return { router, box: screen.getByRole<HTMLInputElement>('searchbox') };
}
const search = (router: ReturnType<typeof page>['router']) => router.state.location.search;

it.each([0, 80, 260])(
  'every character is kept when the user types with %i ms between the keys',
  async (delay) => {
    const { router, box } = page();
    await userEvent.setup({ delay }).type(box, 'fridge');
    expect(box.value).toBe('fridge');
    await vi.waitFor(() => expect(search(router)).toBe('?q=fridge'));
    expect(box.value).toBe('fridge');
  },
);

it('typing replaces selected text', async () => {
  const { router, box } = page('/?q=fridge');
  expect(box.value).toBe('fridge');
  await userEvent.type(box, 'van', { initialSelectionStart: 0, initialSelectionEnd: 6 });
  expect(box.value).toBe('van');
  await vi.waitFor(() => expect(search(router)).toBe('?q=van'));
});

it('the filter shows the new text if the address was changed elsewhere', async () => {
  const { router, box } = page('/?q=fridge');
  await act(() => router.navigate('/?q=box'));
  expect(box.value).toBe('box');
  await act(() => router.navigate('/'));
  expect(box.value).toBe('');
});

it('Escape clears the filter at once', async () => {
  const { router, box } = page('/?q=fridge');
  await userEvent.type(box, 's{Escape}');
  expect(box.value).toBe('');
  await vi.waitFor(() => expect(search(router)).toBe(''));
});
