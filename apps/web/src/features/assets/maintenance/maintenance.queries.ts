import {
  createMaintenance,
  deleteMaintenance,
  editMaintenance,
  getMaintenance,
} from '@isotherm/contracts/maintenance';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const MAINTENANCE_KEY = ['assets', 'maintenance'] as const;

/**
 * Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted record explains the
 * failure.
 */
export const loadMaintenance = (id: number, signal: AbortSignal) =>
  call(getMaintenance, { params: { id }, signal });

/** Mutations of maintenance records. The caller shows failures. */
export const useMaintenanceChanges = crudChanges(MAINTENANCE_KEY, {
  create: createMaintenance,
  edit: editMaintenance,
  remove: deleteMaintenance,
});
