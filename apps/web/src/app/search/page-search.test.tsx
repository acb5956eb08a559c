import { getHeldPermissions, type SearchResult, searchRecords } from '@isotherm/contracts/search';
import type { RouteObject } from '@isotherm/contracts/settings';
import { MENU } from '@isotherm/domain/access/menu';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { renderPage } from '../../shared/testing/render-page.tsx';
import PageSearch from './page-search.tsx';

const NOTHING: SearchResult = {
  assets: { items: [], hasMore: false },
  devices: { items: [], hasMore: false },
  alarms: { items: [], hasMore: false },
  waybills: null,
  reports: null,
  announcements: { items: [], hasMore: false },
};
const asset = (id: number) => ({
  id,
  name: `Zebra fridge ${id}`,
  code: `ZB-${id}`,
  kind: 'refrigerator' as const,
  organizationName: 'Clinic',
});
const FOUND: SearchResult = {
  ...NOTHING,
  assets: { items: [asset(1), asset(2)], hasMore: true },
  alarms: {
    items: [
      {
        id: 1042,
        assetName: 'Zebra fridge 1',
        level: 4,
        kind: 'high',
        indicator: 'temperature',
        raisedAt: '2026-11-20T08:00:00.000Z',
        isEnded: false,
      },
    ],
    hasMore: false,
  },
};
const routeOf = (name: string, path: string, component: string): RouteObject => ({
  name,
  path,
  component,
  hidden: false,
  meta: {
    title: `menu.${name}`,
    icon: undefined,
    noCache: false,
    affix: false,
  } as unknown as RouteObject['meta'],
});
const PAGES: RouteObject[] = MENU.flatMap(({ children }) => children)
  .filter(({ path }) => !path.includes(':'))
  .map(({ name, path, component }) => routeOf(name, path, component));

let fake: ReturnType<typeof fakeServer>;
const onClose = vi.fn();
beforeEach(() => {
  localStorage.clear();
  onClose.mockClear();
  // jsdom does not scroll.
  Element.prototype.scrollIntoView = () => undefined;
  fake = fakeServer();
  fake.answer(searchRecords, () => FOUND);
  fake.answer(getHeldPermissions, () => ({ permissions: ['alarm-policies:edit'] }));
});

async function open() {
  const drawn = await renderPage(<PageSearch menu={PAGES} onClose={onClose} />);
  const user = userEvent.setup();
  const box = await screen.findByRole('combobox', { name: 'Search pages, actions and records' });
  return { ...drawn, user, box };
}

test('records are shown in groups, and the last entry of a group leads to its list with the search filled in', async () => {
  const { user, box, router } = await open();
  await user.type(box, 'zebra');
  const assets = await screen.findByRole('group', { name: 'Assets' });
  expect(within(assets).getAllByRole('option')).toHaveLength(3);
  expect(within(await screen.findByRole('group', { name: 'Alarms' })).getAllByRole('option')).toHaveLength(1);
  expect(screen.getByRole('option', { name: /#1042 Zebra fridge 1/ })).toBeTruthy();
  expect(screen.queryByRole('group', { name: 'Waybills' })).toBeNull();
  await user.click(within(assets).getByRole('option', { name: /Show all in “Monitor”/ }));
  expect(router.state.location.pathname + router.state.location.search).toBe('/monitor?q=zebra');
  expect(onClose).toHaveBeenCalled();
});

test('arrow keys and Enter open a record', async () => {
  const { user, box, router } = await open();
  await user.type(box, 'zebra');
  await screen.findByRole('group', { name: 'Assets' });
  await user.keyboard('{ArrowDown}{Enter}');
  expect(router.state.location.pathname).toBe('/asset/2');
});

test('only actions that the user may do are found, by other words too', async () => {
  fake.answer(searchRecords, () => NOTHING);
  const { user, box, router } = await open();
  await user.type(box, 'register device');
  await screen.findByText('No results for “register device”', { exact: false });
  await user.clear(box);
  await user.type(box, 'change password');
  await screen.findByRole('option', { name: /Change password/ });
  await user.clear(box);
  await user.type(box, 'new policy');
  await user.click(await screen.findByRole('option', { name: /Create alarm policy/ }));
  expect(router.state.location.pathname + router.state.location.search).toBe('/alarm/policies?new=1');
});

test('a failed search says so and can be repeated; pages are still found', async () => {
  fake.answer(searchRecords, () => new Refusal('request.failed', 'The server is busy', 500));
  const { user, box } = await open();
  await user.type(box, 'monitor');
  await screen.findByText('The server is busy');
  expect(screen.getAllByRole('option').length).toBeGreaterThan(0);
  fake.answer(searchRecords, () => FOUND);
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByRole('group', { name: 'Assets' });
});

test('one letter asks for more, and is not sent', async () => {
  const { user, box } = await open();
  await user.type(box, '€');
  await screen.findByText('Type at least two letters to search records.');
  await user.clear(box);
  await user.type(box, '冰箱');
  await waitFor(() => expect(fake.called(searchRecords)).toHaveLength(1));
});

test('a very long text is cut off before it is sent', async () => {
  const { user, box } = await open();
  await user.click(box);
  await user.paste('%_\\'.repeat(200));
  await waitFor(() => expect(fake.called(searchRecords)).toHaveLength(1));
  expect(fake.called(searchRecords)[0]?.asked.query.get('search')?.length).toBeLessThanOrEqual(100);
});
