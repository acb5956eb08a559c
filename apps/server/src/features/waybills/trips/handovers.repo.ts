import type { Handover } from '@isotherm/contracts/waybills';
import type { HandoverKind, ReceivedGoods } from '@isotherm/domain/waybills/handover';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface HandoverFields extends Omit<Handover, 'photos'> {
  custodyId: number;
  requestKey: string;
  kind: HandoverKind;
}

/** Returns when a hand-over with this key was confirmed; null if there is none. */
export async function findHandover(db: Db, waybillId: number, requestKey: string): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date }>(
    `select c.at from waybill_handover h join waybill_custody c on c.id = h.custody_id
      where h.waybill_id = $1 and h.request_key = $2`,
    [waybillId, requestKey],
  );
  return rows[0]?.at ?? null;
}

/** Returns who signed the end of the transport, and when; null if nobody has. */
export async function findSignedEnd(
  db: Db,
  waybillId: number,
): Promise<{ at: Date; takenBy: string } | null> {
  const { rows } = await db.query<{ at: Date; takenBy: string }>(
    `select c.at, h.taken_by as "takenBy" from waybill_handover h join waybill_custody c on c.id = h.custody_id
      where h.waybill_id = $1 and h.kind in ('deliver', 'reject')`,
    [waybillId],
  );
  return rows[0] ?? null;
}

/** Returns those of these waybills whose end somebody has signed. */
export async function listSignedEnds(db: Db, waybillIds: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select waybill_id as id from waybill_handover
      where waybill_id = any($1::bigint[]) and kind in ('deliver', 'reject')`,
    [waybillIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Stores a hand-over with its photos, which are WebP. */
export async function insertHandover(
  tx: Tx,
  waybillId: number,
  fields: HandoverFields,
  photos: readonly Buffer[],
): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into waybill_handover (waybill_id, custody_id, request_key, kind, given_by, taken_by, seals_intact, undamaged,
       received, signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      waybillId,
      fields.custodyId,
      fields.requestKey,
      fields.kind,
      fields.givenBy,
      fields.takenBy,
      fields.sealsIntact,
      fields.undamaged,
      JSON.stringify(fields.received satisfies readonly ReceivedGoods[]),
      fields.signature,
    ],
  );
  for (const [position, bytes] of photos.entries())
    await tx.query('insert into waybill_photo (handover_id, position, bytes) values ($1, $2, $3)', [
      rows[0]?.id,
      position,
      bytes,
    ]);
}

/** Returns the hand-overs of a waybill by their entry in the chain of custody. */
export async function listHandovers(db: Db, waybillId: number): Promise<ReadonlyMap<number, Handover>> {
  const { rows } = await db.query<Handover & { custodyId: number }>(
    `select h.custody_id as "custodyId", h.given_by as "givenBy", h.taken_by as "takenBy",
            h.seals_intact as "sealsIntact", h.undamaged, h.received, h.signature,
            array(select p.id from waybill_photo p where p.handover_id = h.id order by p.position) as photos
       from waybill_handover h where h.waybill_id = $1`,
    [waybillId],
  );
  return new Map(rows.map(({ custodyId, ...handover }) => [custodyId, handover]));
}

/** Returns the bytes of a photo of a waybill; null if it has no such photo. */
export async function readPhoto(db: Db, waybillId: number, id: number): Promise<Buffer | null> {
  const { rows } = await db.query<{ bytes: Buffer }>(
    `select p.bytes from waybill_photo p join waybill_handover h on h.id = p.handover_id
      where h.waybill_id = $1 and p.id = $2`,
    [waybillId, id],
  );
  return rows[0]?.bytes ?? null;
}
