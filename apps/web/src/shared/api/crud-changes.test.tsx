import { sheetExport } from '@isotherm/contracts/batches';
import { defineRoute, id } from '@isotherm/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fakeServer, Refusal } from '../testing/fake-server.ts';
import { renderPage } from '../testing/render-page.tsx';
import { crudChanges } from './crud-changes.ts';

const own = { access: 'management-users:edit', summary: 'A change' } as const;
const one = z.object({ id });
const boxBody = z.strictObject({ name: z.string() });
const done = z.object({ name: z.string() });
const createBox = defineRoute({
  ...own,
  name: 'createBox',
  method: 'POST',
  path: '/box',
  body: boxBody,
  response: done,
});
const editBox = defineRoute({
  ...own,
  name: 'editBox',
  method: 'PUT',
  path: '/box/:id/data',
  params: one,
  body: boxBody,
  response: done,
});
const deleteBox = defineRoute({
  ...own,
  name: 'deleteBox',
  method: 'DELETE',
  path: '/box/:id',
  params: one,
  body: z.strictObject({ reason: z.string() }),
  response: done,
});
const openBox = defineRoute({
  ...own,
  name: 'openBox',
  method: 'POST',
  path: '/box/:id/open',
  params: one,
  response: sheetExport,
});

const useBoxChanges = crudChanges(['boxes'], {
  create: createBox,
  edit: editBox,
  remove: deleteBox,
  open: openBox,
});
const load = vi.fn(async () => 'rows');

function BoxPage() {
  const changes = useBoxChanges();
  const { data } = useQuery({ queryKey: ['boxes', 'list'], queryFn: load });
  const buttons: Record<string, () => Promise<unknown>> = {
    Create: () => changes.create({ name: 'A' }),
    Edit: () => changes.edit(7, { name: 'B' }),
    Delete: () => changes.remove(7, 'broken'),
    Open: () => changes.open(7),
  };
  return (
    <>
      {data}
      {Object.entries(buttons).map(([name, run]) => (
        <button key={name} type="button" onClick={() => void run().catch(() => undefined)}>
          {name}
        </button>
      ))}
    </>
  );
}

it.each([
  ['Create', createBox, '/api/box', { name: 'A' }],
  ['Edit', editBox, '/api/box/7/data', { name: 'B' }],
  ['Delete', deleteBox, '/api/box/7', { reason: 'broken' }],
  ['Open', openBox, '/api/box/7/open', null],
] as const)(
  '%s calls its route with the input of the contract, and reloads the list',
  async (name, route, path, json) => {
    const fake = fakeServer();
    fake.answer(route, () => ({ name: 'A', fileName: 'a', content: '', rows: 0, limited: false }));
    load.mockClear();
    await renderPage(<BoxPage />);
    await screen.findByText('rows');
    await userEvent.click(screen.getByRole('button', { name }));
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(2));
    expect(fake.called(route).map(({ asked }) => [asked.path, asked.json])).toEqual([[path, json]]);
  },
);

it('a refused change reloads nothing, and the caller shows the error', async () => {
  const fake = fakeServer();
  fake.answer(createBox, () => new Refusal('request.invalid', 'Not like this', 400));
  load.mockClear();
  await renderPage(<BoxPage />);
  await screen.findByText('rows');
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  await vi.waitFor(() => expect(fake.called(createBox)).toHaveLength(1));
  expect(load).toHaveBeenCalledTimes(1);
  expect(screen.queryByText('Not like this')).toBeNull();
});
