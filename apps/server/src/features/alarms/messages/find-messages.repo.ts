import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import type { MessageState } from '@isotherm/domain/notifications/message-state';
import type { Db } from '../../../platform/db/pool.ts';

/** Messages that were first due from `from` until `to` (exclusive) about alarms of some organisations. */
export interface MessageFilter {
  /** Null stands for all organisations. */
  organizations: readonly number[] | null;
  from: Date;
  to: Date;
  state: MessageState | null;
  channel: NotificationChannel | null;
  level: number | null;
  /** What the search has found; null without a search. */
  found: Found | null;
  /** Only messages after this one in list order; null for all. */
  after: MessagePosition | null;
}

/** Position of a message in the list. It stays where it was if the message is put off meanwhile. */
export interface MessagePosition {
  /** As text of the database, because a JavaScript date has no microseconds. */
  firstDueAt: string;
  id: number;
}

/** Recipients of one kind that match a search. */
export interface FoundRecipients<Id> {
  ids: readonly Id[];
  /** Number of recipients of the kind, also those that do not match. */
  total: number;
}

/** Recipients, addresses, assets and channels that match a search. */
export interface Found {
  receivers: FoundRecipients<number>;
  accounts: FoundRecipients<number>;
  urls: FoundRecipients<string>;
  assetIds: readonly number[];
  channelIds: readonly number[];
}

// The next four are the conditions of the indexes of migration 0430. A query must contain them as they are there.
/** Messages `n` that were sent, that failed, or that were dropped. */
export const SETTLED_MESSAGE = `n.channel <> 'escalation' and (n.state in ('sent', 'failed') or n.state = 'cancelled' and n.error <> '')`;
/** Never handed over. */
const UNSENT = `n.channel <> 'escalation' and (n.state = 'failed' and n.error in ('balance', 'daily limit') or n.state = 'cancelled' and n.error <> '')`;
/** Handed over, and not delivered. */
export const FAILED_MESSAGE = `n.channel <> 'escalation' and n.state = 'failed' and n.error not in ('balance', 'daily limit')`;
const OPEN = `n.channel <> 'escalation' and n.state in ('pending', 'sending')`;

/** Repeats that are not due are no messages. */
const IS_DUE = `not (n.kind = 'repeated' and n.state = 'pending' and n.attempts = 0 and n.due_at > now())`;
const IS_SENDING = `(n.state = 'sending' or n.state = 'pending' and coalesce(s.lease_until > now(), false))`;
const WAITS = `(n.held or n.waits is not null or n.attempts > 0)`;

/** How the messages of one state are found: those that are settled, and those that are not. Null: there are none. */
interface StateCondition {
  settled: string | null;
  open: string | null;
}
const STATES: Readonly<Record<MessageState, StateCondition>> = {
  success: { settled: `${SETTLED_MESSAGE} and n.state = 'sent'`, open: null },
  unsent: {
    settled: UNSENT,
    open: `n.state = 'pending' and n.waits = 'balance' and not ${IS_SENDING}`,
  },
  failed: { settled: FAILED_MESSAGE, open: null },
  'in-progress': { settled: null, open: IS_SENDING },
  backlogged: {
    settled: null,
    open: `not ${IS_SENDING} and n.waits is distinct from 'balance' and ${WAITS}`,
  },
  pending: { settled: null, open: `not ${IS_SENDING} and not ${WAITS}` },
};
const ANY_STATE: StateCondition = { settled: SETTLED_MESSAGE, open: 'true' };

/** SQL for the state of a notification `n` with its attempts by providers `s` (table `alarm_sms`). */
export const MESSAGE_STATE = `case
  when n.state = 'sent' then 'success'
  when n.state = 'cancelled' or n.state = 'failed' and n.error in ('balance', 'daily limit') then 'unsent'
  when n.state = 'failed' then 'failed'
  when ${IS_SENDING} then 'in-progress'
  when n.waits = 'balance' then 'unsent'
  when ${WAITS} then 'backlogged'
  else 'pending' end`;

export interface MessagePage {
  limit: number;
  offset: number;
  /** Largest number of messages that are counted. */
  most: number;
}

/**
 * Finds the ids of one page of messages in list order, and counts all of the filter. Settled messages, of which there
 * are millions, are found in indexes alone; each part of the result is ordered and limited by itself. `last` is the
 * position of the last message of the page.
 */
export async function findMessageIds(
  db: Db,
  filter: MessageFilter,
  order: 'asc' | 'desc',
  { limit, offset, most }: MessagePage,
): Promise<{ ids: number[]; total: number; last: MessagePosition | null }> {
  const values: unknown[] = [filter.from, filter.to, limit, offset, most];
  const value = (each: unknown) => `$${values.push(each)}`;
  const common = ['n.first_due_at >= $1', 'n.first_due_at < $2'];
  if (filter.organizations !== null) common.push(`n.site_id = any(${value(filter.organizations)}::bigint[])`);
  if (filter.channel !== null) common.push(`n.channel = ${value(filter.channel)}`);
  if (filter.level !== null) common.push(`n.fact_level = ${value(filter.level)}`);
  if (filter.after !== null) {
    const { firstDueAt, id } = filter.after;
    const position = `(${value(firstDueAt)}::timestamptz, ${value(id)}::bigint)`;
    common.push(`(n.first_due_at, n.id) ${order === 'asc' ? '>' : '<'} ${position}`);
  }
  const matches = filter.found === null ? null : conditionsOf(filter.found, value);
  const { settled, open } = filter.state === null ? ANY_STATE : STATES[filter.state];
  const sorted = `order by n.first_due_at ${order}, n.id ${order} limit $5`;
  const part = (from: string, conditions: readonly string[]) =>
    `(select n.first_due_at, n.id from ${from} where ${[...common, ...conditions].join(' and ')} ${sorted})`;
  const parts: string[] = [];
  if (settled !== null) {
    const settledPart = (condition: string) => part('alarm_notification n', [settled, condition]);
    for (const { condition, each } of matches ?? [EVERY])
      parts.push(
        each === null
          ? settledPart(condition)
          : `(select n.first_due_at, n.id from unnest(${each.values}) as wanted(value)
               cross join lateral ${settledPart(each.condition)} n ${sorted})`,
      );
  }
  if (open !== null)
    parts.push(
      part('alarm_notification n left join alarm_sms s on s.notification_id = n.id', [
        OPEN,
        IS_DUE,
        open,
        `(${(matches ?? [EVERY]).map(({ condition }) => condition).join(' or ')})`,
      ]),
    );
  const { rows } = await db.query<{ ids: number[]; total: number; lastDueAt: string | null }>(
    // A message may match a search in several ways, so that the parts are united without duplicates.
    `with found as materialized (
       select first_due_at, id from (${parts.join(' union ')}) n ${sorted}
     ), page as materialized (
       select first_due_at, id from found n order by n.first_due_at ${order}, n.id ${order} limit $3 offset $4
     )
     select (select count(*)::int from found) as total,
            array(select n.id::float8 from page n order by n.first_due_at ${order}, n.id ${order}) as ids,
            (select ${order === 'asc' ? 'max' : 'min'}(first_due_at)::text from page) as "lastDueAt"`,
    values,
  );
  const { ids = [], total = 0, lastDueAt = null } = rows[0] ?? {};
  const id = ids.at(-1);
  const last = id === undefined || lastDueAt === null ? null : { firstDueAt: lastDueAt, id };
  return { ids, total, last };
}

/**
 * Condition that a message `n` matches a search. With few recipients, `each` is the same condition for one of them
 * (`wanted.value`, of `values`): an index returns the messages of one recipient in list order, but not those of several.
 */
interface Match {
  condition: string;
  each: { values: string; condition: string } | null;
}

const EVERY: Match = { condition: 'true', each: null };
const NONE: Match = { condition: 'false', each: null };
const FEW_RECIPIENTS = 100;
/** Largest number of recipients that are looked up if they are a small part of all: at most one in `SMALL_PART`. */
const MANY_RECIPIENTS = 5_000;
const SMALL_PART = 20;

/**
 * Whether messages are looked up by recipient, one after the other: with few recipients, or with a small part of all, whose messages
 * are few among those of the period. Otherwise the list is read in its order until enough of them are found.
 */
const areFew = ({ ids, total }: FoundRecipients<unknown>) =>
  ids.length <= FEW_RECIPIENTS || (ids.length <= MANY_RECIPIENTS && ids.length * SMALL_PART <= total);

/** Conditions of which a message that matches a search meets at least one; each is found by its own index. */
function conditionsOf(found: Found, value: (each: unknown) => string): Match[] {
  const matches: Match[] = [];
  const addRecipients = (
    wanted: FoundRecipients<number | string>,
    type: 'bigint' | 'text',
    condition: (compared: string) => string,
  ) => {
    if (wanted.ids.length === 0) return;
    const values = `${value(wanted.ids)}::${type}[]`;
    const each = { values, condition: condition('= wanted.value') };
    matches.push({
      condition: `(${condition(`= any(${values})`)})`,
      each: areFew(wanted) ? each : null,
    });
  };
  for (const type of ['receivers', 'accounts'] as const)
    addRecipients(
      found[type],
      'bigint',
      (compared) => `n.recipient_type = '${type}' and n.recipient_id ${compared} and n.url = ''`,
    );
  addRecipients(
    found.urls,
    'text',
    (compared) => `n.recipient_type = 'url' and n.recipient_id = 0 and n.url ${compared}`,
  );
  const addAlarms = (ids: readonly number[], column: string, type: string) => {
    if (ids.length > 0)
      matches.push({
        condition: `n.alarm_id in (select id from alarm where ${column} = any(${value(ids)}::${type}[]))`,
        each: null,
      });
  };
  addAlarms(found.assetIds, 'asset_id', 'bigint');
  addAlarms(found.channelIds, 'channel_id', 'int4');
  return matches.length > 0 ? matches : [NONE];
}

/**
 * Receivers and accounts in scope whose names contain a text in lower case, and addresses of URL pushes that contain it,
 * as policies and escalation plans name them now.
 */
export async function findRecipients(
  db: Db,
  scope: string,
  text: string,
): Promise<Pick<Found, 'receivers' | 'accounts' | 'urls'>> {
  const { rows } = await db.query<{ type: string; ids: number[]; urls: string[]; total: number }>(
    `with source as (
       select p.definition -> 'steps' as steps from alarm_policy p join organization o on o.id = p.organization_id
        where o.path like $1 || '%' or $1 like o.path || '%'
       union all
       select p.steps from alarm_escalation_plan p join organization o on o.id = p.organization_id
        where o.path like $1 || '%' or $1 like o.path || '%'
     ), address as (
       select distinct step ->> 'url' as url from source, jsonb_array_elements(source.steps) as step
     ), recipient as (
       select 'receivers' as type, r.id::float8 as id, '' as url, strpos(lower(r.name), $2) > 0 as matches
         from alarm_receiver r join organization o on o.id = r.organization_id
        where o.path like $1 || '%'
       union all
       select 'accounts', a.id::float8, '', strpos(lower(a.realname), $2) > 0
         from account a join organization o on o.id = a.organization_id
        where o.path like $1 || '%'
       union all
       select 'urls', 0, url, strpos(lower(url), $2) > 0 from address where url is not null
     )
     select type, coalesce(array_agg(id) filter (where matches), '{}') as ids,
            coalesce(array_agg(url) filter (where matches), '{}') as urls, count(*)::int as total
       from recipient group by type`,
    [scope, text],
  );
  const of = (type: string) => rows.find((row) => row.type === type) ?? { ids: [], urls: [], total: 0 };
  const [receivers, accounts, urls] = [of('receivers'), of('accounts'), of('urls')];
  return {
    receivers: { ids: receivers.ids, total: receivers.total },
    accounts: { ids: accounts.ids, total: accounts.total },
    urls: { ids: urls.urls, total: urls.total },
  };
}
