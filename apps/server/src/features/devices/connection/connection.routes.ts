import { type DeviceConnection, getDeviceConnection } from '@isotherm/contracts/device-connection';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Mount } from '../../../platform/http/mount.ts';
import { findDevice } from '../registry/registry.repo.ts';
import { findContacts, listRefusedMessages } from './connection.repo.ts';

/**
 * Mounts the connection routes. `address` is called for each request, since ports are known only once the
 * server listens.
 */
export function mountConnection(
  mount: Mount,
  pool: pg.Pool,
  address: () => DeviceConnection['address'],
): void {
  mount(getDeviceConnection, async ({ caller, params }) => {
    const device = await findDevice(pool, caller.scope, params.number);
    if (!device) throw new AppError('device.not_found');
    return {
      ...(await findContacts(pool, device.id)),
      messages: await listRefusedMessages(pool, {
        number: device.number,
        organizationId: device.organization_id,
        createdAt: device.created_at,
      }),
      address: address(),
    };
  });
}
