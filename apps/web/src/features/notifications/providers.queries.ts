import { createSmsProvider, deleteSmsProvider, editSmsProvider } from '@isotherm/contracts/sms-providers';
import { crudChanges } from '../../shared/api/crud-changes.ts';

export const PROVIDERS_KEY = ['notifications', 'sms-providers'] as const;

export const useProviderChanges = crudChanges(PROVIDERS_KEY, {
  create: createSmsProvider,
  edit: editSmsProvider,
  remove: deleteSmsProvider,
});
