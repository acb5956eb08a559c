import {
  createProductProfile,
  deleteProductProfile,
  editProductProfile,
  getProductProfile,
} from '@isotherm/contracts/product-profiles';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const PROFILES_KEY = ['waybills', 'profiles'] as const;

export const useProfileChanges = crudChanges(PROFILES_KEY, {
  create: createProductProfile,
  edit: editProductProfile,
  remove: deleteProductProfile,
});

export const loadProfile = (id: number, signal: AbortSignal) =>
  call(getProductProfile, { params: { id }, signal });
