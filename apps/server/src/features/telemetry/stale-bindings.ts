import type { Tx } from '../../platform/db/pool.ts';
import type { PendingMessage } from './batch.ts';

/**
 * Thrown if messages were assigned to channels by bindings that have changed since; they must be assigned
 * again.
 */
export class StaleBindings extends Error {
  constructor(readonly deviceIds: ReadonlySet<number>) {
    super('bindings have changed');
  }
}

/**
 * Time within which a process is certainly notified of a changed binding; usually this takes less than a
 * second.
 */
const HEARD_WITHIN_MS = 10 * 60_000;

/**
 * Throws `StaleBindings` if bindings of these messages' devices have changed since the messages were parsed.
 * The transaction must hold the devices' lanes (group locks that serialise writes), so that no binding
 * changes until its end.
 */
export async function checkBindings(tx: Tx, messages: readonly PendingMessage[], now: number): Promise<void> {
  const { rows } = await tx.query<{ id: number; binding_version: number }>({
    name: 'rebound-devices',
    text: `select id, binding_version from device where rebound_at > $1 and id = any($2::bigint[])`,
    values: [new Date(now - HEARD_WITHIN_MS), messages.map((message) => message.deviceId)],
  });
  if (rows.length === 0) return;
  const versions = new Map(rows.map((row) => [row.id, row.binding_version]));
  const stale = new Set<number>();
  for (const { deviceId, bindingVersion } of messages)
    if ((versions.get(deviceId) ?? bindingVersion) !== bindingVersion) stale.add(deviceId);
  if (stale.size > 0) throw new StaleBindings(stale);
}
