import { act, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startLanguage } from '../i18n/language.ts';
import { useTabs } from './tabs-store.ts';
import { TagBar } from './tag-bar.tsx';

const page = (path: string) => ({ path, address: path, name: path, affix: false, noCache: false });

it('the tab of the open page is visible, even when it replaces the oldest tab because the limit is reached', async () => {
  await startLanguage('en');
  const shown: (string | null)[] = [];
  const before = Element.prototype.scrollIntoView;
  Element.prototype.scrollIntoView = vi.fn(function (this: Element) {
    shown.push(this.textContent);
  });
  onTestFinished(() => {
    Element.prototype.scrollIntoView = before;
    useTabs.getState().replace([]);
  });
  for (let number = 1; number <= 30; number += 1) useTabs.getState().visit(page(`/${number}`));
  const bar = (open: string) => {
    const element = <TagBar open={open} titleOf={(tab) => tab.path} />;
    return <RouterProvider router={createMemoryRouter([{ path: '*', element }])} />;
  };
  const { rerender } = render(bar('/30'));
  expect(shown.at(-1)).toBe('/30');
  rerender(bar('/31'));
  act(() => useTabs.getState().visit(page('/31')));
  expect(screen.queryByText('/1')).toBeNull();
  expect(shown.at(-1)).toBe('/31');
});
