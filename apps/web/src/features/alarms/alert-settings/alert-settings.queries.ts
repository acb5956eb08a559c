import { listPolicies } from '@isotherm/contracts/alarm-policies';
import { assignPolicyToMany, copyAlertSettings, endOwnRulesOfMany } from '@isotherm/contracts/alert-settings';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { POLICIES_KEY } from '../policies/policies.queries.ts';

/** Below the key of policies, so that a change of a policy reloads the settings. */
export const ALERT_SETTINGS_KEY = [...POLICIES_KEY, 'settings'] as const;
const OFFERED_POLICIES = 200;

/** Policies that the list can be filtered by. */
export const policyOptionsQuery = queryOptions({
  queryKey: [...POLICIES_KEY, 'options'],
  queryFn: ({ signal }) => call(listPolicies, { query: { pageSize: OFFERED_POLICIES }, signal, quiet: true }),
  staleTime: 60_000,
});

export const useAlertSettingChanges = crudChanges(
  POLICIES_KEY,
  { assign: assignPolicyToMany, endOwn: endOwnRulesOfMany, copy: copyAlertSettings },
  { also: [['assets'], ['devices', 'registry']] },
);
