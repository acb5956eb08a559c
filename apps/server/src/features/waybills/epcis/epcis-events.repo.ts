import type { CapturedEpcisEvent } from '@isotherm/contracts/waybill-epcis';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { temperaturesOf, vocabularyWord, type WaybillKey } from '@isotherm/domain/waybills/epcis-capture';
import type { Db, Tx } from '../../../platform/db/pool.ts';

const MOST_SHOWN = 200;

/** Returns the waybills in scope that these names stand for, by the index of the name. */
export async function findNamedWaybills(
  db: Db,
  scope: string,
  keys: readonly WaybillKey[],
): Promise<Map<number, number[]>> {
  const { rows } = await db.query<{ place: number; id: number }>(
    `select k.place::int - 1 as place, w.id
       from unnest($2::bigint[], $3::text[]) with ordinality as k(id, number, place)
       join waybill w on w.id = k.id or lower(w.number) = lower(k.number)
       join organization o on o.id = w.organization_id and o.path like $1 || '%'
      order by w.id`,
    [
      scope,
      keys.map((key) => ('id' in key ? key.id : null)),
      keys.map((key) => ('number' in key ? key.number : null)),
    ],
  );
  const found = new Map<number, number[]>();
  for (const { place, id } of rows) found.set(place, [...(found.get(place) ?? []), id]);
  return found;
}

/** Returns the digests of the events of a waybill that are stored already, by their ids. */
export async function findDigests(
  db: Db,
  waybillId: number,
  eventIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ eventId: string; digest: string }>(
    `select event_id as "eventId", digest from waybill_event where waybill_id = $1 and event_id = any($2)`,
    [waybillId, eventIds],
  );
  return new Map(rows.map(({ eventId, digest }) => [eventId, digest]));
}

export async function insertEvent(
  tx: Tx,
  waybillId: number,
  fields: {
    eventId: string;
    digest: string;
    at: Date;
    event: CapturedEpcisEvent;
    /** What the context of its document adds to that of EPCIS. */
    context: readonly unknown[];
    isStep: boolean;
    username: string;
    capturedAt: Date;
  },
): Promise<void> {
  await tx.query(
    `insert into waybill_event (waybill_id, event_id, digest, at, event, is_step, username, captured_at, context)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      waybillId,
      fields.eventId,
      fields.digest,
      fields.at,
      JSON.stringify(fields.event),
      fields.isStep,
      fields.username,
      fields.capturedAt,
      fields.context.length === 0 ? null : JSON.stringify(fields.context),
    ],
  );
}

interface EventRow {
  id: number;
  at: Date;
  event: CapturedEpcisEvent;
  isStep: boolean;
  username: string;
}

/** The newest events that other systems sent about a waybill. */
export async function listEvents(db: Db, waybillId: number): Promise<WaybillDetail['events']> {
  const { rows } = await db.query<EventRow>(
    `select id, at, event, is_step as "isStep", username from waybill_event
      where waybill_id = $1 order by at desc, id desc limit $2`,
    [waybillId, MOST_SHOWN],
  );
  return rows.map(({ id, at, event, isStep, username }) => ({
    id,
    at: at.toISOString(),
    bizStep: vocabularyWord(event.bizStep),
    place: event.readPoint?.id ?? '',
    temperatures: temperaturesOf(event),
    isStep,
    username,
  }));
}
