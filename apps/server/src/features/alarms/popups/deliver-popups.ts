import { POPUP_WAIT_MS } from '@isotherm/domain/alarms/notification';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import { address } from '../notifications/addressing.ts';
import { claimedOf, take } from '../notifications/claims.ts';
import { countAlarms, groupFactsOf } from '../notifications/group-words.ts';
import { type Claimed, insertGroup, saveClaimed } from '../notifications/notifications.repo.ts';
import { giveUpPopups, handTestPopups, usernamesOf } from './popups.repo.ts';

const POPUPS_AT_ONCE = 200;

/** Tells the consoles of accounts, by user name, that something waits for them. */
export type TellPeople = (usernames: readonly string[]) => void;

/**
 * Creates the function that hands due popups to the consoles of their recipients. A popup waits for an open console until
 * its time is over; the console confirms that it was shown (popups.service.ts). Returns true if more may be due.
 */
export function createPopupDelivery({
  pool,
  clock,
  tellPeople,
}: {
  pool: pg.Pool;
  clock: Clock;
  tellPeople: TellPeople;
}): () => Promise<boolean> {
  return async () => {
    const { accounts, isMore } = await transaction(pool, async (tx) => {
      const now = clock.now();
      await giveUpPopups(tx, new Date(now));
      const tested = await handTestPopups(tx);
      const taken = await take(tx, 'web', now, POPUPS_AT_ONCE);
      if (taken.parcels.length + taken.other.length === 0)
        return { accounts: await usernamesOf(tx, tested), isMore: false };
      const { addressed, other } = await address(tx, taken.parcels, now, ({ type }) =>
        type === 'accounts' ? null : 'recipient removed',
      );
      const handed: Claimed[] = [];
      for (const { parcel, person } of addressed) {
        const [first] = parcel;
        const groupId =
          countAlarms(parcel) > 1
            ? await insertGroup(tx, first.siteId, groupFactsOf(parcel), new Date(now))
            : first.groupId;
        for (const row of parcel)
          handed.push({
            ...claimedOf(row, now + POPUP_WAIT_MS),
            state: 'sending',
            isAttempt: true,
            person,
            groupId,
          });
      }
      await saveClaimed(tx, [...taken.other, ...other, ...handed]);
      const waiting = new Set(other.flatMap(({ id, waits }) => (waits === 'quiet' ? [id] : [])));
      await taken.follow(taken.parcels.flat().filter(({ id }) => !waiting.has(id)));
      const told = [...tested, ...addressed.map(({ person }) => person.id)];
      return { accounts: await usernamesOf(tx, told), isMore: !taken.isAll };
    });
    if (accounts.length > 0) tellPeople(accounts);
    return isMore;
  };
}
