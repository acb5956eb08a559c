import {
  createBalanceWarning,
  deleteBalanceWarning,
  editBalanceWarning,
} from '@isotherm/contracts/balance-warnings';
import { createReminder, deleteReminder, editReminder, getReminder } from '@isotherm/contracts/reminders';
import { editRenewalPolicy } from '@isotherm/contracts/renewal';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';

const KEY = ['reminders'] as const;
export const REMINDERS_KEY = [...KEY, 'kept'] as const;
export const DUE_KEY = [...KEY, 'due'] as const;

/**
 * Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted reminder explains the
 * failure.
 */
export const loadReminder = (id: number, signal: AbortSignal) =>
  call(getReminder, { params: { id }, signal });

/** Mutations of reminders and of the policy. The caller shows failures. */
export const useReminderChanges = crudChanges(KEY, {
  create: createReminder,
  edit: editReminder,
  remove: deleteReminder,
  editPolicy: editRenewalPolicy,
});

export const WARNINGS_KEY = [...KEY, 'balance-warnings'] as const;

/** Mutations of balance warnings. The caller shows failures. */
export const useWarningChanges = crudChanges(WARNINGS_KEY, {
  create: createBalanceWarning,
  edit: editBalanceWarning,
  remove: deleteBalanceWarning,
});
