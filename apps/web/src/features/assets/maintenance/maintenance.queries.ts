import { listAssets } from '@isotherm/contracts/asset-registry';
import {
  createMaintenance,
  deleteMaintenance,
  editMaintenance,
  getMaintenance,
} from '@isotherm/contracts/maintenance';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { OptionSource } from '../../../shared/ui/form/choice-fields.tsx';

export const MAINTENANCE_KEY = ['assets', 'maintenance'] as const;

export function maintenanceQuery(id: number) {
  return queryOptions({
    queryKey: [...MAINTENANCE_KEY, 'one', id],
    // Not quiet: a link to a record that is gone says so.
    queryFn: ({ signal }) => call(getMaintenance, { params: { id }, signal }),
    // A form begins with what stands now, never with what was read before somebody changed it.
    gcTime: 0,
  });
}

/** Assets of the registry, found while somebody types. */
export const assetSource: OptionSource = {
  key: ['assets', 'found'],
  search: async (search) => {
    const { items } = await call(listAssets, { query: { search, pageSize: 20 }, quiet: true });
    return items.map((asset) => ({
      value: asset.id,
      label: asset.name,
      hint: `${asset.code} · ${asset.organizationName}`,
    }));
  },
};

/** What can be done to records. Who calls words the failure. */
export function useMaintenanceChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: MAINTENANCE_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createMaintenance>) => after(call(createMaintenance, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editMaintenance>) =>
      after(call(editMaintenance, { params: { id }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteMaintenance, { params: { id }, body: { reason }, quiet: true })),
  };
}
