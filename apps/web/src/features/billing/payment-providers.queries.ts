import {
  createPaymentProvider,
  deletePaymentProvider,
  editPaymentProvider,
} from '@isotherm/contracts/payment-providers';
import { crudChanges } from '../../shared/api/crud-changes.ts';

export const PAYMENT_PROVIDERS_KEY = ['billing', 'payment-providers'] as const;

export const usePaymentProviderChanges = crudChanges(PAYMENT_PROVIDERS_KEY, {
  create: createPaymentProvider,
  edit: editPaymentProvider,
  remove: deletePaymentProvider,
});
