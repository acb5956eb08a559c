import { createReminder, deleteReminder, editReminder, getReminder } from '@isotherm/contracts/reminders';
import { editRenewalPolicy } from '@isotherm/contracts/renewal';
import type { BodyOf } from '@isotherm/contracts/route';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

const KEY = ['reminders'] as const;
export const REMINDERS_KEY = [...KEY, 'kept'] as const;
export const DUE_KEY = [...KEY, 'due'] as const;

/** Not quiet: a link to one that is gone says so. */
export const loadReminder = (id: number, signal: AbortSignal) =>
  call(getReminder, { params: { id }, signal });

/** What can be done to reminders and the policy. Who calls words the failure. */
export function useReminderChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: KEY });
    return done;
  };
  const quiet = true;
  return {
    create: (body: BodyOf<typeof createReminder>) => after(call(createReminder, { body, quiet })),
    edit: (id: number, body: BodyOf<typeof editReminder>) =>
      after(call(editReminder, { params: { id }, body, quiet })),
    remove: (id: number, reason: string) =>
      after(call(deleteReminder, { params: { id }, body: { reason }, quiet })),
    editPolicy: (body: BodyOf<typeof editRenewalPolicy>) => after(call(editRenewalPolicy, { body, quiet })),
  };
}
