/**
 * Rules of the ledger (decision 27). An entry moves units of one commodity from one account to another, so that
 * debit and credit are always equal. Each organisation that pays has two accounts for each commodity, and the
 * installation has two of its own.
 */

/** What is prepaid, in units: one SMS segment, one voice call, one WeChat message. */
export const COMMODITIES = ['sms', 'voice', 'wechat'] as const;
export type Commodity = (typeof COMMODITIES)[number];

/**
 * `available` and `reserved` belong to an organisation; `sold` (where units come from, never above zero) and
 * `used` (where they go) to the installation.
 */
export const ACCOUNT_ROLES = ['available', 'reserved', 'sold', 'used'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** From which account to which each kind of entry moves units. */
export const ENTRY_MOVES = {
  /** A paid order. */
  recharge: { from: 'sold', to: 'available' },
  /** A recharge by an operator without a payment. */
  grant: { from: 'sold', to: 'available' },
  /** Units that are withdrawn because their payment was refunded. */
  refund: { from: 'available', to: 'sold' },
  /** Units of a message that waits to be sent. */
  reserve: { from: 'available', to: 'reserved' },
  /** The message was sent. */
  capture: { from: 'reserved', to: 'used' },
  /** The message was not sent, or needed fewer units. */
  release: { from: 'reserved', to: 'available' },
} as const satisfies Record<string, { from: AccountRole; to: AccountRole }>;
export type EntryKind = keyof typeof ENTRY_MOVES;
export const ENTRY_KINDS = Object.keys(ENTRY_MOVES) as [EntryKind, ...EntryKind[]];

/** Balances of one organisation and commodity. `available` may be as low as `-overdraft`. */
export interface Balance {
  available: number;
  reserved: number;
  overdraft: number;
}

/** The level whose messages may use the overdraft, because they must not fail for lack of a balance. */
export const OVERDRAFT_LEVEL = 5;

export interface Wanted {
  units: number;
  /** Level of the alarm; 0 for messages that are not about an alarm. */
  level: number;
}

/**
 * Decides which messages a balance pays for: the most severe level first, equal ones in the given order. A message
 * that is too expensive does not keep a cheaper one behind it from being paid. Only level 5 may use the
 * overdraft. Returns one answer for each message, in the given order.
 */
export function affordable(balance: Balance, wanted: readonly Wanted[]): boolean[] {
  const answers = wanted.map(() => false);
  const order = [...wanted.keys()].sort(
    (a, b) => (wanted[b] as Wanted).level - (wanted[a] as Wanted).level || a - b,
  );
  let left = balance.available;
  for (const index of order) {
    const { units, level } = wanted[index] as Wanted;
    const floor = level >= OVERDRAFT_LEVEL ? -balance.overdraft : 0;
    if (units < 0 || left - units < floor) continue;
    left -= units;
    answers[index] = true;
  }
  return answers;
}

/**
 * Organisation whose balance pays for another one: the nearest at or above it that settles independently, and
 * its company if there is none (requirements §6: shared accounts are paid by the company).
 *
 * @param path path of ids from the root, such as `/1/4/9/`
 */
export function payerOf(path: string, independent: ReadonlySet<number>): number {
  const ids = path.split('/').filter(Boolean).map(Number);
  const company = ids[1] ?? ids[0] ?? 0;
  const own = ids.slice(1).reverse();
  return own.find((id) => independent.has(id)) ?? company;
}
