import { isListExport, type sheetExport } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import { orderListExport } from '@isotherm/contracts/jobs';
import type { RouteContract } from '@isotherm/contracts/route';
import { type Permission, PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { personOf } from '../http/caller.ts';
import { checkPart, type Mount, type RouteInput } from '../http/mount.ts';
import { XLSX } from '../sheets/workbook-stream.ts';
import type { JobKind } from './job-kind.ts';
import type { ResultJobs } from './result-jobs.ts';

type ListRoute = RouteContract<z.ZodType, z.ZodType, z.ZodType, typeof sheetExport> & { access: Permission };

/** A route that exports the rows of a list, with its handler. */
interface ListExport {
  route: ListRoute;
  handler(input: RouteInput<ListRoute>): Promise<z.input<typeof sheetExport>> | z.input<typeof sheetExport>;
}

const parameters = z.object({ list: z.string(), query: z.record(z.string(), z.string()) });

/**
 * Exports of lists as jobs (docs/reports.md). Every route that is mounted with `collecting` and returns a spreadsheet of a list
 * can be ordered, with its own permission, filters and scope.
 */
export function createListExports(jobs: Pick<ResultJobs, 'register' | 'order'>) {
  const exports = new Map<string, ListExport>();

  function find(list: string): ListExport {
    const found = exports.get(list);
    if (!found) throw new AppError('job.no_list');
    return found;
  }

  const kind: JobKind<z.output<typeof parameters>> = {
    name: 'list-export',
    permission: ({ list }) => find(list).route.access,
    parameters,
    async check(_caller, { list, query }) {
      checkPart(find(list).route.query, query, 'query');
    },
    async run(caller, { list, query }) {
      const { route, handler } = find(list);
      const { fileName, content, limited, rows } = await handler({
        caller,
        params: {},
        query: checkPart(route.query, query, 'query'),
        body: {},
        language: caller.language,
        address: '',
        host: '',
        client: '',
        hasHungUp: () => false,
      });
      return {
        fileName: limited ? fileName.replace(/(\.\w+)$/, `-first-${rows}-rows$1`) : fileName,
        mediaType: XLSX,
        body: bytesOf(content),
      };
    },
  };
  jobs.register(kind);

  return {
    /** Returns a `mount` that also remembers the exports of lists. */
    collecting(mount: Mount): Mount {
      return (route, handler) => {
        const { access, name } = route;
        // The type of a list's route follows from the condition, which TypeScript cannot see.
        if (isListExport(route) && access !== PUBLIC && access !== SIGNED_IN)
          exports.set(name, { route, handler } as unknown as ListExport);
        mount(route, handler);
      };
    },
    mount(mount: Mount): void {
      mount(orderListExport, ({ caller, body: { list, subject, query } }) =>
        jobs.order(personOf(caller), { kind: 'list-export', subject, parameters: { list, query } }),
      );
    },
  };
}

async function* bytesOf(base64: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(base64, 'base64');
}
