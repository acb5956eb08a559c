import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import { listExpiring } from '@isotherm/contracts/device-registry';
import type { RenewalSelection } from '@isotherm/contracts/renewal-orders';
import type pg from 'pg';
import type { Caller } from '../../../platform/http/caller.ts';
import { recordOf } from '../registry/device-view.ts';
import { findDevices } from '../registry/registry.repo.ts';
import type { RegistryService } from '../registry/registry.service.ts';
import type { RenewalPolicyReader } from './renewal-policy.ts';

/** Finds the devices of a selection in the caller's scope. */
export type RenewableDevices = (
  caller: Caller,
  selection: RenewalSelection,
  most: number,
) => Promise<{ found: DeviceRecord[]; total: number; unknown: string[] }>;

export function createRenewableDevices(
  pool: pg.Pool,
  registry: Pick<RegistryService, 'list'>,
  renewal: RenewalPolicyReader,
): RenewableDevices {
  return async (caller, selection, most) => {
    if ('numbers' in selection) {
      const numbers = [...new Set(selection.numbers)];
      const bounds = await renewal.bounds();
      const found = (await findDevices(pool, caller.scope, numbers)).map((row) => recordOf(row, bounds));
      const known = new Set(found.map(({ number }) => number));
      return { found, total: found.length, unknown: numbers.filter((number) => !known.has(number)) };
    }
    const query = listExpiring.query.parse({});
    const { filter } = selection;
    const { items, total } = await registry.list(caller, {
      ...query,
      ...filter,
      term: filter.term ?? 'to-renew',
      page: 1,
      pageSize: most,
    });
    return { found: items, total, unknown: [] };
  };
}
