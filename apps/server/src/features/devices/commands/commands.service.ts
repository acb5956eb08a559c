import type {
  CommandBatch,
  CommandOrder,
  cancelCommands,
  findDevices,
  listCommands,
  retryCommands,
  sendCommands,
} from '@isotherm/contracts/commands';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import {
  cancelReserved,
  type FoundDevice,
  findBatch,
  findDevicesInScope,
  insertBatch,
  listCommandRows,
  listRetryable,
  searchDevices,
} from './commands.repo.ts';

type SendForm = z.output<(typeof sendCommands)['body']>;
type ListQuery = z.output<(typeof listCommands)['query']>;

export interface CommandsService {
  send(caller: Caller, form: SendForm): Promise<ResponseOf<typeof sendCommands>>;
  list(caller: Caller, query: ListQuery): Promise<ResponseOf<typeof listCommands>>;
  batch(caller: Caller, id: number): Promise<CommandBatch>;
  retry(caller: Caller, ids: readonly number[]): Promise<ResponseOf<typeof retryCommands>>;
  cancel(caller: Caller, ids: readonly number[]): Promise<ResponseOf<typeof cancelCommands>>;
  findDevices(caller: Caller, search: string): Promise<ResponseOf<typeof findDevices>>;
}

const RETRY_WITHIN_S = 86_400;
/** Number of commands listed in the audit entry when many are cancelled. */
const MOST_NAMED = 20;

/**
 * Creates the commands service. `wake` is called when commands wait for these devices, so that connected
 * ones receive them at once.
 */
export function createCommandsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  wake: (deviceIds: readonly number[]) => void,
): CommandsService {
  async function give(
    tx: Tx,
    caller: Caller,
    order: CommandOrder,
    devices: readonly FoundDevice[],
    more: { note: string; expiresInS: number },
  ): Promise<number> {
    const now = clock.now();
    const id = await insertBatch(tx, {
      organizationId: caller.organizationId,
      order,
      note: more.note,
      deviceIds: devices.map((device) => device.id),
      requestedBy: caller.username,
      now: new Date(now),
      expiresAt: new Date(now + more.expiresInS * 1000),
    });
    await audit.record(
      tx,
      caller,
      ...byOrganization(devices).map(([organizationPath, own]) => ({
        action: 'send-command' as const,
        objectKind: 'command',
        objectId: id,
        objectName: order.kind,
        organizationPath,
        after: { ...order, devices: named(own) },
        reason: more.note,
      })),
    );
    return id;
  }

  return {
    async send(caller, { devices, order, note, expiresInS }) {
      const found = await findDevicesInScope(pool, caller.scope, devices);
      const known = new Set(found.map(({ number }) => number));
      const unknown = [...new Set(devices)].filter((number) => !known.has(number));
      if (found.length === 0) return { batch: null, unknown };
      const id = await transaction(pool, (tx) => give(tx, caller, order, found, { note, expiresInS }));
      wake(found.map((device) => device.id));
      return { batch: await findBatch(pool, caller.scope, id), unknown };
    },
    async list(caller, { page, pageSize, search, state, kind, batchId }) {
      return listCommandRows(
        pool,
        {
          scope: caller.scope,
          search: search.trim(),
          state: state ?? null,
          kind: kind ?? null,
          batchId: batchId ?? null,
        },
        { limit: pageSize, offset: (page - 1) * pageSize },
      );
    },
    /** Throws `command.not_found`. */
    async batch(caller, id) {
      const batch = await findBatch(pool, caller.scope, id);
      if (!batch) throw new AppError('command.not_found');
      return batch;
    },
    async retry(caller, ids) {
      const rows = await listRetryable(pool, caller.scope, ids);
      const byOrder = new Map<string, { order: CommandOrder; note: string; devices: FoundDevice[] }>();
      for (const { command, note, ...device } of rows) {
        const key = JSON.stringify([command, note]);
        const group = byOrder.get(key) ?? { order: command, note, devices: [] };
        group.devices.push(device);
        byOrder.set(key, group);
      }
      await transaction(pool, async (tx) => {
        for (const { order, note, devices } of byOrder.values())
          await give(tx, caller, order, devices, { note, expiresInS: RETRY_WITHIN_S });
      });
      wake(rows.map((row) => row.id));
      return { again: rows.length };
    },
    cancel: (caller, ids) =>
      transaction(pool, async (tx) => {
        const cancelled = await cancelReserved(tx, caller.scope, ids, new Date(clock.now()));
        await audit.record(
          tx,
          caller,
          ...byOrganization(cancelled).map(([organizationPath, own]) => ({
            action: 'cancel-command' as const,
            objectKind: 'command',
            objectId: ids.slice(0, MOST_NAMED).join(' '),
            objectName: '',
            organizationPath,
            after: { devices: named(own) },
          })),
        );
        return { cancelled: cancelled.length };
      }),
    findDevices: (caller, search) => searchDevices(pool, caller.scope, search.trim()),
  };
}

/** Groups devices by organisation, because each organisation finds the command in its own audit log. */
function byOrganization(devices: readonly FoundDevice[]): [path: string, own: FoundDevice[]][] {
  const groups = new Map<string, FoundDevice[]>();
  for (const device of devices) {
    const own = groups.get(device.path);
    if (own) own.push(device);
    else groups.set(device.path, [device]);
  }
  return [...groups];
}

const named = (devices: readonly FoundDevice[]): string => devices.map(({ number }) => number).join(' ');
