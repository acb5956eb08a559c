import {
  createMaintenance,
  deleteMaintenance,
  editMaintenance,
  getMaintenance,
} from '@isotherm/contracts/maintenance';
import type { BodyOf } from '@isotherm/contracts/route';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const MAINTENANCE_KEY = ['assets', 'maintenance'] as const;

/** Not quiet: a link to one that is gone says so. */
export const loadMaintenance = (id: number, signal: AbortSignal) =>
  call(getMaintenance, { params: { id }, signal });

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
