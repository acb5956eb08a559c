import { AppError } from '@isotherm/contracts/errors';
import {
  createWaybillLink,
  listWaybillLinks,
  revokeWaybillLink,
  type Shipment,
  TRACK_BOX,
  viewShipment,
  type WaybillLink,
} from '@isotherm/contracts/waybill-links';
import { thinCurve } from '@isotherm/domain/waybills/thin-curve';
import { drawTrack } from '@isotherm/domain/waybills/track-drawing';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { FindLink, PublicLinks } from '../../../platform/public-links/public-links.ts';
import { loadTrackLines, type TrackLines } from '../../geo/index.ts';
import type { Arrivals } from '../arrival/arrival.ts';
import { handOverPlaces } from '../papers/trip-paper.ts';
import { readJudgedTrip } from '../waybills/trip-record.ts';
import { viewOf } from '../waybills/waybill-views.ts';
import { findWaybill, lockWaybill, readTrip, type WaybillRow } from '../waybills/waybills.repo.ts';

const PURPOSE = 'waybill-view';
const DAY_MS = 86_400_000;
/** More links than this are not needed; old ones can be revoked. */
const MOST_LINKS = 20;
/** How often a link is opened in a quarter of an hour: once a minute by a few people. Each reads the whole trip. */
const MOST_VIEWS = 120;
/** Points of the curve, about two for each column. */
const COLUMNS = 400;

export interface WaybillLinkParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  links: Pick<PublicLinks, 'create' | 'use' | 'listOpen' | 'revoke'>;
  findLink: FindLink;
  /** Counts calls of a subject against a limit. */
  limit: (subject: string, most: number) => Promise<void>;
  arrivals: Pick<Arrivals, 'read'>;
}

/** Mounts the public links of waybills: whoever has one sees this shipment, without login, until it expires or is revoked. */
export function mountWaybillLinks(mount: Mount, parts: WaybillLinkParts): void {
  const { pool, audit, clock, links, findLink, limit, arrivals } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<WaybillRow> {
    const row = await findWaybill(db, caller.scope, id);
    if (!row) throw new AppError('waybill.not_found');
    return row;
  }

  async function list(db: Db, id: number): Promise<WaybillLink[]> {
    return (await links.listOpen(db, PURPOSE, [id], clock.now())).map(
      ({ id: linkId, createdAt, expiresAt, lastUsedAt }) => ({
        id: linkId,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        lastOpenedAt: lastUsedAt?.toISOString() ?? null,
      }),
    );
  }

  const entryOf = (row: WaybillRow, linkId: number, expiresAt: Date) => ({
    objectKind: 'waybill-link',
    objectId: linkId,
    objectName: row.number,
    organizationPath: row.organizationPath,
    fields: { expiresAt: expiresAt.toISOString() },
  });

  mount(listWaybillLinks, async ({ caller, params: { id } }) => {
    await find(pool, caller, id);
    return list(pool, id);
  });

  mount(createWaybillLink, ({ caller, params: { id }, body: { days } }) =>
    transaction(pool, async (tx) => {
      await lockWaybill(tx, id);
      const row = await find(tx, caller, id);
      if ((await list(tx, id)).length >= MOST_LINKS)
        throw new AppError('waybill.many_links', { most: MOST_LINKS });
      const token = await links.create(
        tx,
        { purpose: PURPOSE, subjectId: id, person: null, lifeMs: days * DAY_MS, mostUses: null, sentBy: '' },
        clock.now(),
      );
      const open = await list(tx, id);
      const [made] = open as [WaybillLink];
      const { fields, ...entry } = entryOf(row, made.id, new Date(made.expiresAt));
      await audit.record(tx, caller, { action: 'create', ...entry, after: fields });
      return { token, links: open };
    }),
  );

  mount(revokeWaybillLink, ({ caller, params: { id, linkId } }) =>
    transaction(pool, async (tx) => {
      const row = await find(tx, caller, id);
      const by = caller.accountId;
      const revoked = await links.revoke(tx, PURPOSE, id, { id: linkId, by }, clock.now());
      if (!revoked) throw new AppError('link.not_found');
      const { fields, ...entry } = entryOf(row, linkId, revoked.expiresAt);
      await audit.record(tx, caller, { action: 'delete', ...entry, before: fields });
      return list(tx, id);
    }),
  );

  mount(viewShipment, async ({ body: { token }, address }) => {
    const link = await findLink(PURPOSE, token, address);
    if (!link) throw new AppError('link.not_found');
    await limit(`shipment:${link.subjectId}`, MOST_VIEWS);
    const row = await findWaybill(pool, '/', link.subjectId);
    if (!row) throw new AppError('link.not_found');
    await transaction(pool, (tx) => links.use(tx, PURPOSE, token, clock.now()));
    return shipmentOf(pool, row, arrivals, clock.now());
  });
}

async function shipmentOf(
  db: Db,
  row: WaybillRow,
  arrivals: Pick<Arrivals, 'read'>,
  now: number,
): Promise<Shipment> {
  const { custody } = await readTrip(db, row.id);
  const trip = row.departedAt === null ? null : await readJudgedTrip(db, row, now);
  const arrival = trip && (await arrivals.read(row, trip, now));
  const tracks: TrackLines[] = [];
  // As far as the trip is judged: the track of a trip that nobody ended has a bound.
  for (const { assetId, from, to } of trip?.record.legs ?? [])
    tracks.push(await loadTrackLines(db, assetId, new Date(from), new Date(to)));
  const steps = custody
    .filter(({ action }) => action !== 'adjust')
    .map(({ action, at, person }) => ({ action, at: at.toISOString(), person }));
  const waybill = viewOf(row);
  // Listed one by one, because accounts, phone numbers and remarks are not for whoever has a link.
  return {
    number: waybill.number,
    state: waybill.state,
    consignorUnit: waybill.consignorUnit,
    consigneeUnit: waybill.consigneeUnit,
    goods: waybill.goods,
    profileName: waybill.profileName,
    low: waybill.low,
    high: waybill.high,
    plannedDepartureAt: waybill.plannedDepartureAt,
    plannedDeliveryAt: waybill.plannedDeliveryAt,
    departedAt: waybill.departedAt,
    endedAt: waybill.endedAt,
    decision: waybill.decision,
    organizationName: waybill.organizationName,
    steps,
    record: trip && recordOf(trip),
    arrival: arrival?.state === 'known' ? arrival : null,
    track: drawTrack(
      tracks.flatMap(({ lines }) => lines),
      handOverPlaces(tracks),
      TRACK_BOX,
    ),
  };
}

/** The temperatures of the worst probe, as a link and a phone show them. */
export function recordOf({ record, parts }: Awaited<ReturnType<typeof readJudgedTrip>>): Shipment['record'] {
  const { from, to, mktLimit, probes } = record;
  const [worst] = probes;
  if (!worst) return null;
  const columnMs = Math.max(1, (to - from) / COLUMNS);
  const curve = (parts[0] ?? []).flatMap((part) => thinCurve(part, columnMs));
  return { from, to, mktLimit, verdict: worst.verdict, curve };
}
