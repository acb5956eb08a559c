import { z } from 'zod';

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'format' });

/**
 * Quiet hours of a recipient of alarms, in the local time of the recipient: notifications of levels 1 to 4 wait until
 * their end. Null for none.
 */
export const quietHours = z
  .strictObject({
    /** Weekdays on which they begin: 1 is Monday, 7 is Sunday. */
    days: z.array(z.number().int().min(1).max(7)).min(1).max(7),
    from: time,
    /** If it is not after the start, the quiet hours end on the next day. */
    until: time,
  })
  .nullable();
export type QuietHoursInput = z.output<typeof quietHours>;
