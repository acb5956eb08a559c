import type { CapturedEpcisEvent } from '@isotherm/contracts/waybill-epcis';
import type { EpcisStep } from '@isotherm/domain/waybills/epcis';
import type { Db } from '../../../platform/db/pool.ts';

/** Kinds of events in the order in which those of the same time are listed. */
export const SLOT_KINDS = { step: 1, captured: 2, leg: 3 } as const;
export type SlotKind = (typeof SLOT_KINDS)[keyof typeof SLOT_KINDS];

/** A place in the order of all events. */
export interface SlotKey {
  /** Microseconds since the epoch. */
  micros: string;
  kind: SlotKind;
  ref: string;
}

/** An event before it is written: the readings of a leg are read later. */
export interface EventSlot extends SlotKey {
  waybillId: number;
}

export interface SlotFilter {
  from: Date | null;
  until: Date | null;
  /** Steps that are wanted. */
  actions: readonly EpcisStep['action'][];
  hasLegs: boolean;
  /** Kinds of captured events, and words of the Core Business Vocabulary that they have; null: any. */
  types: readonly string[] | null;
  bizSteps: readonly string[] | null;
  dispositions: readonly string[] | null;
}

/** Positions of legs are smaller than this. */
const LEGS = 10_000;
/** The word at the end of a URI of the vocabulary, as `vocabularyWord` of the domain. */
const wordOf = (field: string) =>
  `regexp_replace(regexp_replace(coalesce(e.event->>'${field}', ''), '^.*[:/]', ''), '^(BizStep|Disp)-', '')`;

/**
 * Returns the next events of waybills in scope, in order of time. A step that a captured event reported is that event only. Legs are
 * listed when they have ended.
 */
export async function listEventSlots(
  db: Db,
  scope: string,
  filter: SlotFilter,
  after: SlotKey | null,
  limit: number,
): Promise<EventSlot[]> {
  const inScope = `join waybill w on w.id = waybill_id join organization o on o.id = w.organization_id
     where o.path like $1 || '%'`;
  const inTime = (at: string) =>
    `($2::timestamptz is null or ${at} >= $2) and ($3::timestamptz is null or ${at} < $3)`;
  const next = (at: string, kind: SlotKind, ref: string) =>
    `($4::bigint is null or (${at}, ${kind}, ${ref}) > (timestamptz 'epoch' + $4 * interval '1 microsecond', $5::int, $6::bigint))`;
  const branch = (from: string, at: string, kind: SlotKind, ref: string, where: string) =>
    `(select ${at} as at, ${kind} as kind, ${ref} as ref, waybill_id from ${from} ${inScope} and ${where}
        and ${inTime(at)} and ${next(at, kind, ref)} order by ${at}, ${ref} limit $7)`;
  const { rows } = await db.query<EventSlot>(
    `select (extract(epoch from at) * 1000000)::bigint::text as micros, kind, ref::text as ref, waybill_id as "waybillId"
       from (${branch(
         'waybill_custody c',
         'c.at',
         SLOT_KINDS.step,
         'c.id',
         `c.action = any($8) and not exists
            (select from waybill_event e where e.waybill_id = c.waybill_id and e.is_step and e.at = c.at)`,
       )}
       union all ${branch(
         'waybill_event e',
         'e.at',
         SLOT_KINDS.captured,
         'e.id',
         `($10::text[] is null or e.event->>'type' = any($10)) and ($11::text[] is null or ${wordOf('bizStep')} = any($11))
          and ($12::text[] is null or ${wordOf('disposition')} = any($12))`,
       )}
       union all ${branch(
         'waybill_leg l',
         'l.ended_at',
         SLOT_KINDS.leg,
         `(l.waybill_id * ${LEGS} + l.position)`,
         '$9::boolean and l.ended_at is not null',
       )}) as slot
      order by at, kind, ref limit $7`,
    [
      scope,
      filter.from,
      filter.until,
      after?.micros ?? null,
      after?.kind ?? null,
      after?.ref ?? null,
      limit,
      filter.actions,
      filter.hasLegs,
      filter.types,
      filter.bizSteps,
      filter.dispositions,
    ],
  );
  return rows;
}

const refsOf = (slots: readonly EventSlot[], kind: SlotKind): string[] =>
  slots.filter((slot) => slot.kind === kind).map(({ ref }) => ref);

interface StepRow extends Omit<EpcisStep, 'at'> {
  at: Date;
  recordedAt: Date;
}

/** Reads the steps of slots by their refs. */
export async function readSteps(db: Db, slots: readonly EventSlot[]): Promise<Map<string, StepRow>> {
  const { rows } = await db.query<StepRow>(
    `select id, action, at, recorded_at as "recordedAt" from waybill_custody where id = any($1::bigint[])`,
    [refsOf(slots, SLOT_KINDS.step)],
  );
  return new Map(rows.map((row) => [String(row.id), row]));
}

interface CapturedRow {
  id: number;
  event: CapturedEpcisEvent;
  eventId: string;
  /** What the context of its document added to that of EPCIS. */
  context: unknown[] | null;
  capturedAt: Date;
}

/** Reads the captured events of slots by their refs. */
export async function readCaptured(db: Db, slots: readonly EventSlot[]): Promise<Map<string, CapturedRow>> {
  const { rows } = await db.query<CapturedRow>(
    `select id, event, event_id as "eventId", context, captured_at as "capturedAt" from waybill_event
      where id = any($1::bigint[])`,
    [refsOf(slots, SLOT_KINDS.captured)],
  );
  return new Map(rows.map((row) => [String(row.id), row]));
}

interface LegRow {
  ref: string;
  position: number;
  assetId: number;
  from: Date;
  until: Date;
  departedAt: Date;
  low: number;
  high: number;
}

/** Reads the legs of slots by their refs, with the limits of their goods. */
export async function readLegs(db: Db, slots: readonly EventSlot[]): Promise<Map<string, LegRow>> {
  const { rows } = await db.query<LegRow>(
    `select (l.waybill_id * ${LEGS} + l.position)::text as ref, l.position, l.asset_id as "assetId",
            l.started_at as "from", l.ended_at as until, w.departed_at as "departedAt",
            (w.limits->>'temperatureLow')::float8 as low, (w.limits->>'temperatureHigh')::float8 as high
       from unnest($1::bigint[]) as slot(ref)
       join waybill_leg l on l.waybill_id = slot.ref / ${LEGS} and l.position = slot.ref % ${LEGS}
       join waybill w on w.id = l.waybill_id`,
    [refsOf(slots, SLOT_KINDS.leg)],
  );
  return new Map(rows.map((row) => [row.ref, row]));
}
