import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { renderPage } from '../testing/render-page.tsx';
import { FilterBox } from '../ui/filter-box.tsx';
import { FormDrawer } from '../ui/form/form-drawer.tsx';
import { TextField } from '../ui/form/text-fields.tsx';
import { useUrlState } from '../ui/use-url-state.ts';
import { useWhenChanged, useWhenGone } from './kept-page.ts';
import { KEEPS_AT_MOST } from './kept-views.ts';
import { useTabs } from './tabs-store.ts';
import { TagBar } from './tag-bar.tsx';
import { useGo } from './use-go.ts';
import { useUnsaved } from './use-unsaved.ts';

function Filtered() {
  const [params, change] = useUrlState();
  return (
    <FilterBox
      placeholder="Filter"
      value={params.get('q') ?? ''}
      onChange={(q) => change({ q, page: null })}
    />
  );
}

function Note({ onGone = () => undefined }: { onGone?: () => void }) {
  const [typed, setTyped] = useState('');
  const [drawn, setDrawn] = useState(0);
  useUnsaved(typed !== '', () => setTyped(''));
  useWhenGone(onGone);
  useWhenChanged([1], () => setDrawn((count) => count + 1));
  return (
    <>
      <input aria-label="Note" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <output>changed {drawn}</output>
    </>
  );
}

const bar = <TagBar open="/b" titleOf={({ path }) => path} />;
const dialog = () => screen.queryByRole('dialog', { name: 'Discard your changes?' });
const note = () => screen.getByLabelText<HTMLInputElement>('Note');

it('if a page is hidden while a filter is pending, it changes its own address and not that of the open page', async () => {
  const { router } = await renderPage(<Filtered />, { at: '/a', path: '/a', others: { '/b': <p>Other</p> } });
  await userEvent.type(screen.getByPlaceholderText('Filter'), 'fridge');
  await act(() => router.navigate('/b?q=other&page=3'));
  await waitFor(() => expect(useTabs.getState().tabs[0]?.address).toBe('/a?q=fridge'));
  expect(router.state.location).toMatchObject({ pathname: '/b', search: '?q=other&page=3' });
  await act(() => router.navigate('/a?q=fridge'));
  expect(screen.getByPlaceholderText<HTMLInputElement>('Filter').value).toBe('fridge');
});

it('switching tabs keeps unsaved input without a question, and does not restart the page', async () => {
  const onGone = vi.fn();
  const { router } = await renderPage(<Note onGone={onGone} />, {
    at: '/a',
    path: '/a',
    others: { '/b': <p>Other</p> },
  });
  await userEvent.type(note(), 'half a sentence');
  await act(() => router.navigate('/b'));
  await screen.findByText('Other');
  expect(dialog()).toBeNull();
  expect(onGone).not.toHaveBeenCalled();
  await act(() => router.navigate('/a'));
  expect(note().value).toBe('half a sentence');
  expect(screen.getByText('changed 1')).toBeTruthy();
});

it.each([
  ['Close /a', 'Close /a', null],
  ['Close others', null, 'Close others'],
  ['Refresh', null, 'Refresh'],
])(
  'the action %s asks before the input of a hidden page is discarded, and “Keep editing” changes nothing',
  async (_, button, item) => {
    const onGone = vi.fn();
    const { router } = await renderPage(<Note onGone={onGone} />, {
      at: '/a',
      path: '/a',
      others: { '/b': bar },
    });
    await userEvent.type(note(), 'half a sentence');
    await act(() => router.navigate('/b'));
    const act2 = async () => {
      if (button) await userEvent.click(await screen.findByRole('button', { name: button }));
      else {
        const tag = await screen.findByRole('link', { name: item === 'Refresh' ? '/a' : '/b' });
        await userEvent.pointer({ keys: '[MouseRight]', target: tag });
        await userEvent.click(await screen.findByRole('menuitem', { name: item as string }));
      }
    };
    await act2();
    await screen.findByRole('dialog', { name: 'Discard your changes?' });
    await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }));
    await waitFor(() => expect(dialog()).toBeNull());
    expect(useTabs.getState().tabs.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(onGone).not.toHaveBeenCalled();
  },
);

it('closing a hidden page and discarding its input unmounts the page exactly once', async () => {
  const onGone = vi.fn();
  const { router } = await renderPage(<Note onGone={onGone} />, {
    at: '/a',
    path: '/a',
    others: { '/b': bar },
  });
  await userEvent.type(note(), 'x');
  await act(() => router.navigate('/b'));
  await userEvent.click(await screen.findByRole('button', { name: 'Close /a' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(onGone).toHaveBeenCalledTimes(1));
  expect(useTabs.getState().tabs.map(({ path }) => path)).toEqual(['/b']);
});

it('a page with unsaved input is never dropped because of its age', async () => {
  const paths = Array.from({ length: KEEPS_AT_MOST + 3 }, (_, n) => `/p${n}`);
  const others = Object.fromEntries(paths.map((path) => [path, <p key={path}>{path}</p>]));
  const { router } = await renderPage(<Note />, { at: '/a', path: '/a', others });
  await userEvent.type(note(), 'kept');
  for (const path of paths) await act(() => router.navigate(path));
  await act(() => router.navigate('/a'));
  expect(note().value).toBe('kept');
});

it('a task that completes on a hidden page does not navigate the open page', async () => {
  let finish: (() => void) | undefined;
  function Slow() {
    const go = useGo();
    finish = () => go('/c');
    return null;
  }
  const { router } = await renderPage(<Slow />, { at: '/a', path: '/a', others: { '/b': <p>Other</p> } });
  await act(() => router.navigate('/b'));
  act(() => finish?.());
  expect(router.state.location.pathname).toBe('/b');
});

function Drawer() {
  const [params, change] = useUrlState();
  return params.get('new') ? (
    <FormDrawer
      title="New"
      submitLabel="Save it"
      schema={z.object({ name: z.string() })}
      initial={{}}
      submit={async () => undefined}
      onClose={() => change({ new: null })}
    >
      <TextField name="name" label="Name" />
    </FormDrawer>
  ) : (
    <p>closed</p>
  );
}

it('Back asks before it closes a form with input, and “Discard” clears the input and allows the navigation', async () => {
  const { router } = await renderPage(<Drawer />, { at: '/a', path: '/a' });
  await act(() => router.navigate('/a?new=1'));
  await userEvent.type(await screen.findByLabelText(/^Name/), 'x');
  await act(() => router.navigate(-1));
  await screen.findByText('Discard your changes?');
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  await screen.findByText('closed');
  await act(() => router.navigate('/a?new=1'));
  expect((await screen.findByLabelText<HTMLInputElement>(/^Name/)).value).toBe('');
  await act(() => router.navigate(-1));
  await screen.findByText('closed');
});

it('a saved form closes without a question', async () => {
  await renderPage(<Drawer />, { at: '/a?new=1', path: '/a' });
  await userEvent.type(await screen.findByLabelText(/^Name/), 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Save it' }));
  await screen.findByText('closed');
  expect(dialog()).toBeNull();
});
