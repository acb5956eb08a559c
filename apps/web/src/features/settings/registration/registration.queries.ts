import {
  approveRegistration,
  getRegistrationSettings,
  type RegistrationSettings,
  rejectRegistration,
  setRegistrationSettings,
} from '@isotherm/contracts/registration';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const QUEUE_KEY = ['settings', 'registrations'] as const;

export const registrationSettingsQuery = queryOptions({
  queryKey: ['settings', 'registration'],
  queryFn: ({ signal }) => call(getRegistrationSettings, { signal, quiet: true }),
});

export function useRegistrationChanges() {
  const queries = useQueryClient();
  const decided = () => queries.invalidateQueries({ queryKey: QUEUE_KEY });
  return {
    save: async (body: RegistrationSettings) => {
      const saved = await call(setRegistrationSettings, { quiet: true, body });
      queries.setQueryData(registrationSettingsQuery.queryKey, saved);
    },
    approve: async (id: number) => {
      await call(approveRegistration, { quiet: true, params: { id } });
      await decided();
    },
    reject: async (id: number, reason: string) => {
      await call(rejectRegistration, { quiet: true, params: { id }, body: { reason } });
      await decided();
    },
  };
}
