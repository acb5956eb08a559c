import { defineRoute, pageOf, paging } from '@isotherm/contracts/route';
import { getPagePermissions } from '@isotherm/contracts/settings';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fakeServer, Refusal } from '../../testing/fake-server.ts';
import { holding, renderPage } from '../../testing/render-page.tsx';
import { ListPage } from './list-page.tsx';
import { pagesOf } from './list-source.ts';
import type { ListColumn, ListFilter, ListView } from './list-types.ts';
import { PageRefreshContext } from './page-refresh.ts';

interface Item {
  id: number;
  number: string;
  place: string;
}

const listItems = defineRoute({
  name: 'listItems',
  method: 'GET',
  path: '/item',
  access: 'management-users:view',
  summary: 'Items',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    state: z.enum(['new', 'old']).optional(),
    colour: z.enum(['red', 'blue']).optional(),
    sort: z.enum(['number', 'place']).default('number'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(z.object({ id: z.number(), number: z.string(), place: z.string() })),
});

const COLUMNS: ListColumn<Item>[] = [
  { key: 'number', title: 'Number', render: (item) => item.number, sortable: true, pinned: true },
  { key: 'place', title: 'Place', render: (item) => item.place, sortable: true },
  { key: 'note', title: 'Note', render: () => 'a note', offered: true },
];
const FILTERS: ListFilter[] = [
  { keys: ['state'], label: 'State', options: [{ value: 'new', label: 'New' }] },
  { keys: ['colour'], label: 'Colour', more: true, options: [{ value: 'red', label: 'Red' }] },
];
const VIEWS: ListView[] = [
  { key: 'all', label: 'All', query: {} },
  { key: 'fresh', label: 'Fresh', query: { state: 'new' } },
];

const source = pagesOf(listItems);
const onOpen = vi.fn<(item: Item) => void>();

function ItemPage() {
  return (
    <ListPage
      name="items"
      title="Items"
      purpose="Every item"
      source={source}
      queryKey={['items']}
      columns={COLUMNS}
      rowKey={(item) => item.id}
      rowName={(item) => item.number}
      searchLabel="Number or place"
      defaultSort={{ sort: 'number', order: 'asc' }}
      filters={FILTERS}
      views={VIEWS}
      counts={({ total }) => ({ all: total })}
      onOpen={onOpen}
      bulk={({ items }) => <button type="button">Move {items.map(({ number }) => number).join(' ')}</button>}
      empty={{ title: 'No items yet', reason: 'Items are what this is about.' }}
    />
  );
}

const ITEMS: Item[] = [
  { id: 1, number: 'A-1', place: 'Store' },
  { id: 2, number: 'A-2', place: 'Truck' },
  { id: 3, number: 'A-3', place: 'Truck' },
];

async function page(options: { at?: string; narrow?: boolean; items?: Item[]; total?: number } = {}) {
  const { items = ITEMS, total = items.length } = options;
  onOpen.mockClear();
  const fake = fakeServer();
  holding(fake, 'management-users:view');
  fake.answer(listItems, () => ({ items, total }));
  const drawn = await renderPage(<ItemPage />, options);
  const asked = () => Object.fromEntries(fake.called(listItems).at(-1)?.asked.query ?? []);
  return { ...drawn, fake, asked };
}

it('the list requests the page, size, sort order and filters of the address', async () => {
  const { asked } = await page({
    at: '/?page=3&size=20&q=fridge&sort=place&order=desc&state=new&colour=red',
    total: 500,
  });
  await screen.findByText('A-1');
  expect(asked()).toEqual({
    page: '3',
    pageSize: '20',
    search: 'fridge',
    sort: 'place',
    order: 'desc',
    state: 'new',
    colour: 'red',
  });
  expect(screen.getByText('41–60 of 500')).toBeTruthy();
});

it('the list goes to the last page if the page in the address does not exist', async () => {
  const { fake, asked } = await page({ at: '/?page=9&size=20' });
  fake.answer(listItems, ({ query }) =>
    query.get('page') === '2' ? { items: ITEMS, total: 23 } : { items: [], total: 23 },
  );
  expect(await screen.findByText('A-1')).toBeTruthy();
  expect(asked().page).toBe('2');
  expect(screen.getByText('21–23 of 23')).toBeTruthy();
});

it('a message says that the permissions could not be loaded, and offers a retry', async () => {
  const fake = fakeServer();
  fake.answer(getPagePermissions, () => new Refusal('server.failed', 'The server failed.', 500));
  fake.answer(listItems, () => ({ items: ITEMS, total: 3 }));
  await renderPage(<ItemPage />);
  const retry = await screen.findByRole('button', { name: 'Retry' });
  expect(screen.queryByText("You don't have access to this list")).toBeNull();
  holding(fake, 'management-users:view');
  await userEvent.click(retry);
  expect(await screen.findByText('A-1')).toBeTruthy();
});

it('parameters of the address that the contract rejects are ignored', async () => {
  const { asked } = await page({ at: '/?page=x&size=7&sort=secret&order=up&state=odd' });
  await screen.findByText('A-1');
  expect(asked()).toEqual({ page: '1', pageSize: '50', sort: 'number', order: 'asc' });
});

it('a click on a column header sorts by it, and the next click reverses the order', async () => {
  const { asked, search } = await page();
  const head = await screen.findByRole('columnheader', { name: 'Place' });
  expect(head.getAttribute('aria-sort')).toBe('none');
  await userEvent.click(within(head).getByRole('button'));
  await vi.waitFor(() => expect(asked()).toMatchObject({ sort: 'place', order: 'asc' }));
  await userEvent.click(within(head).getByRole('button'));
  await vi.waitFor(() => expect(search().get('order')).toBe('desc'));
  expect(head.getAttribute('aria-sort')).toBe('descending');
});

it('arrow keys move between rows, Enter opens a row, Space selects it', async () => {
  await page();
  const rows = () => screen.getAllByRole('row').slice(1);
  await screen.findByText('A-1');
  rows()[0]?.focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}{Enter}');
  expect(onOpen).toHaveBeenCalledWith(ITEMS[1]);
  await userEvent.keyboard(' {End} ');
  expect(screen.getByRole('button', { name: 'Move A-2 A-3' })).toBeTruthy();
  expect(screen.getByRole('toolbar').textContent).toContain('2 selected');
});

it('a click opens a row, unless it is on the check box', async () => {
  await page();
  await userEvent.click(await screen.findByText('Store'));
  expect(onOpen).toHaveBeenCalledTimes(1);
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select A-1' }));
  expect(onOpen).toHaveBeenCalledTimes(1);
});

it('the selection is cleared when the query changes', async () => {
  const { asked } = await page();
  await screen.findByText('A-1');
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
  expect(screen.getByRole('toolbar').textContent).toContain('3 selected');
  await userEvent.click(screen.getByRole('button', { name: 'Fresh' }));
  await vi.waitFor(() => expect(asked()).toMatchObject({ state: 'new' }));
  expect(screen.queryByRole('toolbar')).toBeNull();
});

it('an active filter behind "More filters" is shown as a chip that removes it', async () => {
  const { search } = await page({ at: '/?colour=red' });
  await screen.findByText('Colour: Red');
  await userEvent.click(screen.getByRole('button', { name: 'Remove filter Colour' }));
  await vi.waitFor(() => expect(search().get('colour')).toBeNull());
});

it('the chosen columns are stored', async () => {
  await page();
  await screen.findByText('A-1');
  expect(screen.queryByRole('columnheader', { name: 'Note' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Note' }));
  expect(screen.getByRole('columnheader', { name: 'Note' })).toBeTruthy();
  screen.getByRole('button', { name: /^Move column Note/ }).focus();
  await userEvent.keyboard('{ArrowUp}');
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
  expect(heads.indexOf('Note')).toBeLessThan(heads.indexOf('Place'));
  expect(localStorage.getItem('isotherm.columns.items')).toContain('note');
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(screen.queryByRole('columnheader', { name: 'Note' })).toBeNull();
});

it('a view is saved under a name, opened again and deleted', async () => {
  const { search } = await page({ at: '/?state=new&q=van' });
  await userEvent.click(await screen.findByRole('button', { name: 'Save view' }));
  await userEvent.type(await screen.findByLabelText('Name'), 'New vans{Enter}');
  expect(screen.getByRole('button', { name: 'New vans' }).getAttribute('aria-pressed')).toBe('true');
  await userEvent.click(screen.getByRole('button', { name: /^All/ }));
  await vi.waitFor(() => expect(search().get('state')).toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'New vans' }));
  await vi.waitFor(() => expect([search().get('state'), search().get('q')]).toEqual(['new', 'van']));
  await userEvent.click(screen.getByRole('button', { name: 'Delete view New vans' }));
  expect(screen.queryByRole('button', { name: 'New vans' })).toBeNull();
});

it('an empty list explains the page', async () => {
  await page({ items: [] });
  expect(await screen.findByRole('heading', { name: 'No items yet' })).toBeTruthy();
});

it('if nothing matches, the list offers to clear the filters', async () => {
  const { search } = await page({ items: [], at: '/?q=nothing&colour=red' });
  await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
  await vi.waitFor(() => expect(search().toString()).toBe(''));
});

it('without the permission, a message appears and nothing is requested', async () => {
  const fake = fakeServer();
  holding(fake);
  await renderPage(<ItemPage />);
  expect(await screen.findByRole('heading', { name: "You don't have access to this list" })).toBeTruthy();
  expect(fake.called(listItems)).toEqual([]);
});

it('an error is shown, with a button to retry', async () => {
  const fake = fakeServer();
  holding(fake, 'management-users:view');
  let down = true;
  fake.answer(listItems, () =>
    down ? new Refusal('service.unavailable', 'No database.', 503) : { items: ITEMS, total: 3 },
  );
  await renderPage(<ItemPage />);
  expect(await screen.findByText('No database.')).toBeTruthy();
  down = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('A-1')).toBeTruthy();
});

it('if a refresh fails, the rows stay and their time is shown', async () => {
  const { fake, queries } = await page();
  await screen.findByText('A-1');
  fake.answer(listItems, () => new Refusal('service.unavailable', 'No database.', 503));
  await queries.invalidateQueries({ queryKey: ['items'] });
  expect(await screen.findByText(/Refreshing failed/)).toBeTruthy();
  expect(screen.getByText('A-1')).toBeTruthy();
});

it('the rows are loaded again at the interval of the account', async () => {
  const fake = fakeServer();
  holding(fake, 'management-users:view');
  fake.answer(listItems, () => ({ items: ITEMS, total: 3 }));
  await renderPage(
    <PageRefreshContext value={50}>
      <ItemPage />
    </PageRefreshContext>,
  );
  await vi.waitFor(() => expect(fake.called(listItems).length).toBeGreaterThan(2));
});

it('on a phone the list consists of cards', async () => {
  await page({ narrow: true });
  await userEvent.click(await screen.findByRole('button', { name: 'A-2' }));
  expect(onOpen).toHaveBeenCalledWith(ITEMS[1]);
  expect(screen.queryByRole('table')).toBeNull();
});
