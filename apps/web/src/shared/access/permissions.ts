import { getPagePermissions } from '@isotherm/contracts/settings';
import { buttonState, can, type Held } from '@isotherm/domain/access/can';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export const PAGE_PERMISSIONS_KEY = ['settings', 'permissions'] as const;

/** What the caller may do on one page; asked again on every navigation (requirements §2). */
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

/** What the caller holds of the pages that these permissions are about. */
export function useHeld(permissions: readonly string[]): {
  held: Held;
  /** False while an answer is awaited. */
  known: boolean;
  /** Why it is not known, after asking failed; `retry` asks again. */
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
  /** The action that must be held. */
  permission?: string;
  /** Hides the button from whoever holds this. */
  hiddenBy?: string;
  whenDenied?: 'hide' | 'disable';
}

/** How a button stands before the caller (requirements §6). While it is not known, nothing is offered. */
export function useButtonState(rule: ButtonRule): 'hidden' | 'disabled' | 'enabled' {
  const asked = [rule.permission, rule.hiddenBy].filter((each) => each !== undefined);
  const { held, known } = useHeld(asked);
  return known
    ? buttonState(held, rule)
    : buttonState(new Set(), { ...rule, permission: rule.permission ?? '' });
}

/** True when the caller holds the permission. While it is not known, and when asking failed, it is not held. */
export function usePermission(permission: string): boolean {
  return can(useHeld([permission]).held, permission);
}

export interface PageAccess {
  state: 'held' | 'denied' | 'unknown' | 'failed';
  /** Why it could not be found out. */
  error: Error | null;
  retry: () => void;
}

/** For pages: not held is said only when it is known, so that no page flashes its refusal or takes a fault for one. */
export function usePagePermission(permission: string): PageAccess {
  const { held, known, error, retry } = useHeld([permission]);
  const state = can(held, permission) ? 'held' : !known ? 'unknown' : error ? 'failed' : 'denied';
  return { state, error, retry };
}
