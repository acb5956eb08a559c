import { getPagePermissions } from '@isotherm/contracts/settings';
import { buttonState, can, type Held } from '@isotherm/domain/access/can';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export const PAGE_PERMISSIONS_KEY = ['settings', 'permissions'] as const;

/** Query for the user's permissions on one page. It is repeated at every navigation (requirements §2). */
export function pagePermissionsQuery(page: string) {
  return queryOptions({
    queryKey: [...PAGE_PERMISSIONS_KEY, page],
    queryFn: ({ signal }) => call(getPagePermissions, { query: { menuname: page }, signal, quiet: true }),
    staleTime: 60_000,
    retry: false,
  });
}

function pageOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'));
}

/** Returns which of the given permissions the user has, from the pages that they belong to. */
export function useHeld(permissions: readonly string[]): {
  held: Held;
  /** False while the permissions are loading. */
  known: boolean;
  /** Error of the request; null if there is none. `retry` repeats the request. */
  error: Error | null;
  retry: () => void;
} {
  const pages = [...new Set(permissions.map(pageOf))];
  return useQueries({
    queries: pages.map(pagePermissionsQuery),
    combine: (answers) => ({
      held: new Set(answers.flatMap(({ data }) => data?.permissions ?? [])),
      known: answers.every(({ isPending }) => !isPending),
      error: answers.find(({ error }) => error !== null)?.error ?? null,
      retry: () => {
        for (const { refetch, isError } of answers) if (isError) void refetch();
      },
    }),
  });
}

export interface ButtonRule {
  /** Permission that the button requires. */
  permission?: string;
  /** Permission that hides the button if the user has it. */
  hiddenBy?: string;
  whenDenied?: 'hide' | 'disable';
}

/**
 * Returns the state of a button for the user (requirements §6). While permissions are loading, the button is
 * hidden.
 */
export function useButtonState(rule: ButtonRule): 'hidden' | 'disabled' | 'enabled' {
  const asked = [rule.permission, rule.hiddenBy].filter((each) => each !== undefined);
  const { held, known } = useHeld(asked);
  return known
    ? buttonState(held, rule)
    : buttonState(new Set(), { ...rule, permission: rule.permission ?? '' });
}

/** Returns true if the user has the permission; false while loading and after a failed request. */
export function usePermission(permission: string): boolean {
  return can(useHeld([permission]).held, permission);
}

export interface PageAccess {
  state: 'held' | 'denied' | 'unknown' | 'failed';
  /** Error of the permission request; null if there is none. */
  error: Error | null;
  retry: () => void;
}

/**
 * Returns whether the user may open the page. Access is denied only after a definite response, so that
 * neither loading nor a failure looks like a refusal.
 */
export function usePagePermission(permission: string): PageAccess {
  const { held, known, error, retry } = useHeld([permission]);
  const state = can(held, permission) ? 'held' : !known ? 'unknown' : error ? 'failed' : 'denied';
  return { state, error, retry };
}
