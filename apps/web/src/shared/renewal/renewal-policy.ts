import { getRenewalPolicy } from '@isotherm/contracts/renewal';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export const renewalPolicyQuery = queryOptions({
  queryKey: ['reminders', 'policy'],
  queryFn: ({ signal }) => call(getRenewalPolicy, { signal, quiet: true }),
});
