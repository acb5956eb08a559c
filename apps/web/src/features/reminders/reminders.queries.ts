import { createReminder, deleteReminder, editReminder, getReminder } from '@isotherm/contracts/reminders';
import { editRenewalPolicy } from '@isotherm/contracts/renewal';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';

const KEY = ['reminders'] as const;
export const REMINDERS_KEY = [...KEY, 'kept'] as const;
export const DUE_KEY = [...KEY, 'due'] as const;

/** Not quiet: a link to a deleted reminder must show the error. */
export const loadReminder = (id: number, signal: AbortSignal) =>
  call(getReminder, { params: { id }, signal });

/** Changes of reminders and the policy. The caller shows failures. */
export const useReminderChanges = crudChanges(KEY, {
  create: createReminder,
  edit: editReminder,
  remove: deleteReminder,
  editPolicy: editRenewalPolicy,
});
