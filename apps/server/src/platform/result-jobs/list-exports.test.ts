import { sheetExport } from '@isotherm/contracts/batches';
import { defineRoute } from '@isotherm/contracts/route';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Caller } from '../http/caller.ts';
import type { JobKind } from './job-kind.ts';
import { createListExports } from './list-exports.ts';

const route = defineRoute({
  name: 'exportThings',
  method: 'GET',
  path: '/thing/export',
  access: 'device-list:export',
  summary: 'Things as a spreadsheet',
  query: z.object({ limit: z.coerce.number() }),
  response: sheetExport,
});

test.each([
  [1, 'things.xlsx'],
  [2, 'things-first-2-rows.xlsx'],
])('the name of the file says whether rows were left out, with %i rows', async (limit, fileName) => {
  let kind: JobKind<{ list: string; query: Record<string, string> }> | undefined;
  const exports = createListExports({
    register: (registered) => {
      kind = registered as never;
    },
    order: () => Promise.reject(new Error('nothing is ordered')),
  });
  exports.collecting(() => undefined)(route, ({ query }) => ({
    fileName: 'things.xlsx',
    content: 'YQ==',
    rows: query.limit,
    limited: query.limit > 1,
  }));
  const work = { progress: () => undefined, signal: new AbortController().signal };
  const parameters = { list: 'exportThings', query: { limit: String(limit) } };
  const content = await kind?.run({ language: 'en' } as Caller, parameters, work);
  expect(content?.fileName).toBe(fileName);
});
