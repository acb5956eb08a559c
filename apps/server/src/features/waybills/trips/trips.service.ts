import { AppError } from '@isotherm/contracts/errors';
import type { Download, ResponseOf } from '@isotherm/contracts/route';
import {
  type HandoverInput,
  handOverTrip,
  type ListedTrip,
  MOST_TRIPS,
  type Trip,
} from '@isotherm/contracts/waybill-trips';
import { listWaybills, type Waybill } from '@isotherm/contracts/waybills';
import { can } from '@isotherm/domain/access/can';
import {
  type HandoverFault,
  handOver,
  handoversIn,
  type ReceivedGoods,
  signaturePath,
} from '@isotherm/domain/waybills/handover';
import type { WaybillStep } from '@isotherm/domain/waybills/waybill';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import type { Images } from '../../../platform/images/images.ts';
import { recordOf } from '../links/waybill-links.ts';
import { readTour } from '../tours/tours.ts';
import { checkDeparture, readPreCool } from '../waybills/pre-cool.ts';
import type { TripDevices } from '../waybills/trip-devices.ts';
import { readJudgedTrip } from '../waybills/trip-record.ts';
import { limitsAtDeparture } from '../waybills/waybill-limits.ts';
import { viewOf, waybillFields, waybillObject } from '../waybills/waybill-views.ts';
import {
  findAssetIn,
  findWaybill,
  findWaybills,
  insertCustody,
  lockWaybill,
  readCourse,
  saveCourse,
  type WaybillRow,
} from '../waybills/waybills.repo.ts';
import { STEP_FAULTS } from '../waybills/waybills.service.ts';
import { findHandover, findSignedEnd, insertHandover, listSignedEnds, readPhoto } from './handovers.repo.ts';
import { listTripIds } from './trips.repo.ts';

/** Ended trips are listed so long, so that their hand-over can be looked up. */
const ENDED_FOR_MS = 86_400_000;
const SEES_ALL = listWaybills.access;
const FAULTS = { ...STEP_FAULTS, signed: 'waybill.handed_over' } as const satisfies Record<
  HandoverFault,
  string
>;

export type HandedOver = ResponseOf<typeof handOverTrip>;

interface Recorded {
  result: HandedOver;
  /** Runs after the commit. */
  afterCommit: () => void;
}
const NOTHING = (): void => undefined;

/** Trips on a phone: what is under way, its record so far, and hand-overs with signature and photos. */
export interface TripsService {
  list(caller: Caller): Promise<ListedTrip[]>;
  /** Throws `waybill.not_found`. */
  get(caller: Caller, id: number): Promise<Trip>;
  /**
   * Records a hand-over once for each key. Throws
   * `waybill.not_found|state|future|before_leg|same_asset|goods_changed|handed_over|pre_cool`, `asset.not_found`,
   * `upload.*`.
   */
  handOver(
    caller: Caller,
    id: number,
    input: HandoverInput,
    photos: readonly Uint8Array[],
  ): Promise<HandedOver>;
  /** Throws `waybill.not_found|photo_not_found`. */
  photo(caller: Caller, id: number, photo: number): Promise<Download>;
}

export function createTripsService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  images: Pick<Images, 'encode'>;
  devices: TripDevices;
}): TripsService {
  const { pool, audit, clock, images, devices } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<WaybillRow> {
    const row = await findWaybill(db, caller.scope, id);
    const driverId = onlyDriver(caller);
    if (!row || (driverId !== null && row.driverId !== driverId)) throw new AppError('waybill.not_found');
    return row;
  }

  /** The result of an earlier call with the same key; null if this is the first one. */
  async function earlier(db: Db, row: WaybillRow, requestKey: string): Promise<HandedOver | null> {
    const at = await findHandover(db, row.id, requestKey);
    return at && { at: at.toISOString(), state: row.state };
  }

  async function record(
    tx: Tx,
    caller: Caller,
    before: WaybillRow,
    input: HandoverInput,
    photos: readonly Buffer[],
  ): Promise<Recorded> {
    const { id } = before;
    if (!isSameGoods(before.goods, input.received)) throw new AppError('waybill.goods_changed');
    const now = clock.now();
    const step = stepOf(input, before, now - input.ageMs);
    const assetId = 'assetId' in step ? step.assetId : null;
    const isPlanned = step.action === 'depart' && assetId === before.assetId;
    if (
      assetId !== null &&
      !isPlanned &&
      !(await findAssetIn(tx, caller.scope, before.organizationPath, assetId))
    )
      throw new AppError('asset.not_found');
    const signed = await findSignedEnd(tx, id);
    const earlierCourse = await readCourse(tx, before);
    const course = handOver(earlierCourse, step, signed !== null, now);
    if ('fault' in course) {
      if (course.fault !== 'signed' || !signed) throw new AppError(FAULTS[course.fault]);
      throw new AppError('waybill.handed_over', { person: signed.takenBy });
    }
    const isStep = course !== earlierCourse;
    const recordedAt = new Date(now);
    const limits = step.action === 'depart' ? await limitsAtDeparture(tx, before) : before.limits;
    if (step.action === 'depart')
      await checkDeparture(tx, id, {
        assetId: step.assetId,
        at: step.at,
        limits,
        username: caller.username,
        reason: input.preCoolReason,
      });
    if (isStep)
      await saveCourse(tx, id, course, {
        limits,
        changedBy: caller.username,
        changedAt: recordedAt,
      });
    const at = new Date(step.at);
    const custodyId = await insertCustody(tx, id, {
      action: isStep ? step.action : 'sign',
      at,
      username: caller.username,
      // The person who signs: the consignor hands over, everybody later takes over.
      person: step.action === 'depart' ? input.givenBy : input.takenBy,
      note: input.remark,
      assetId,
      recordedAt,
    });
    await insertHandover(
      tx,
      id,
      {
        custodyId,
        requestKey: input.requestKey,
        kind: input.kind,
        givenBy: input.givenBy,
        takenBy: input.takenBy,
        sealsIntact: input.sealsIntact,
        undamaged: input.undamaged,
        received: input.received,
        signature: input.signature.kind === 'drawn' ? signaturePath(input.signature.strokes) : '',
      },
      photos,
    );
    const afterCommit = isStep
      ? await devices.onStep(tx, { actor: caller, isAutomatic: false }, before, step, course)
      : NOTHING;
    const after = await find(tx, caller, id);
    await audit.record(tx, caller, {
      action: 'change',
      ...waybillObject(after),
      organizationPath: after.organizationPath,
      before: waybillFields(before),
      after: { ...waybillFields(after), givenBy: input.givenBy, takenBy: input.takenBy },
      reason: input.remark,
    });
    return { result: { at: at.toISOString(), state: after.state }, afterCommit };
  }

  return {
    async list(caller) {
      const endedAfter = new Date(clock.now() - ENDED_FOR_MS);
      const ids = await listTripIds(pool, caller.scope, onlyDriver(caller), endedAfter, MOST_TRIPS);
      const [rows, signed] = await Promise.all([
        findWaybills(pool, caller.scope, ids),
        listSignedEnds(pool, ids),
      ]);
      return rows.map((row) => listedOf(caller, row, signed.has(row.id)));
    },
    async get(caller, id) {
      const row = await find(pool, caller, id);
      const [signed, preCool, stops, judged] = await Promise.all([
        findSignedEnd(pool, id),
        readPreCool(pool, row, clock.now()),
        readTour(pool, row, onlyDriver(caller)),
        row.departedAt === null ? null : readJudgedTrip(pool, row, clock.now()),
      ]);
      return {
        ...listedOf(caller, row, signed !== null),
        record: judged && recordOf(judged),
        preCool,
        stops,
        signed: signed && { at: signed.at.toISOString(), takenBy: signed.takenBy },
      };
    },
    async handOver(caller, id, input, photos) {
      const row = await find(pool, caller, id);
      const known = await earlier(pool, row, input.requestKey);
      if (known) return known;
      // Photos are decoded before the transaction, because that takes long.
      const encoded: Buffer[] = [];
      for (const bytes of photos)
        encoded.push((await images.encode(ownerOf(caller), bytes, 'handover')).bytes);
      const done = await transaction(pool, async (tx): Promise<Recorded> => {
        await lockWaybill(tx, id);
        const before = await find(tx, caller, id);
        const repeated = await earlier(tx, before, input.requestKey);
        return repeated
          ? { result: repeated, afterCommit: NOTHING }
          : record(tx, caller, before, input, encoded);
      });
      done.afterCommit();
      return done.result;
    },
    async photo(caller, id, photo) {
      await find(pool, caller, id);
      const bytes = await readPhoto(pool, id, photo);
      if (!bytes) throw new AppError('waybill.photo_not_found');
      return {
        fileName: `waybill-${id}-photo-${photo}.webp`,
        mediaType: 'image/webp',
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
}

/** An id that no account has, so that a caller without an account drives nothing. */
const NOBODY = 0;

/** Who may not see the list of waybills sees only the trips that they drive: the id of their account, else null. */
const onlyDriver = ({ permissions, accountId }: Caller): number | null =>
  can(permissions, SEES_ALL) ? null : (accountId ?? NOBODY);

function listedOf({ permissions }: Caller, row: WaybillRow, isSigned: boolean): ListedTrip {
  const waybill = viewOf(row);
  return {
    id: waybill.id,
    number: waybill.number,
    state: waybill.state,
    organizationName: waybill.organizationName,
    consignorUnit: waybill.consignorUnit,
    consignorAddress: waybill.consignorAddress,
    consignorContact: waybill.consignorContact,
    consignorPhone: waybill.consignorPhone,
    consigneeUnit: waybill.consigneeUnit,
    consigneeAddress: waybill.consigneeAddress,
    consigneeContact: waybill.consigneeContact,
    consigneePhone: waybill.consigneePhone,
    assetId: waybill.assetId,
    assetName: waybill.assetName,
    tour: waybill.tour,
    stop: waybill.stop,
    driverName: waybill.driverName,
    deviceNumbers: waybill.deviceNumbers,
    goods: waybill.goods,
    profileName: waybill.profileName,
    low: waybill.low,
    high: waybill.high,
    plannedDepartureAt: waybill.plannedDepartureAt,
    plannedDeliveryAt: waybill.plannedDeliveryAt,
    departedAt: waybill.departedAt,
    endedAt: waybill.endedAt,
    decision: waybill.decision,
    note: waybill.note,
    kinds: can(permissions, handOverTrip.access) ? handoversIn(row.state, isSigned) : [],
  };
}

function stepOf(
  { kind, assetId }: HandoverInput,
  waybill: WaybillRow,
  at: number,
): Exclude<WaybillStep, { action: 'adjust' }> {
  if (kind === 'depart' || kind === 'transship')
    return { action: kind, at, assetId: assetId ?? waybill.assetId };
  return { action: kind, at };
}

/** Returns whether somebody signed for the goods that the waybill has now. */
function isSameGoods(goods: Waybill['goods'], seen: readonly ReceivedGoods[]): boolean {
  return (
    goods.length === seen.length &&
    goods.every((each, row) => {
      const other = seen[row] as ReceivedGoods;
      return (
        each.product === other.product &&
        each.batch === other.batch &&
        each.quantity === other.quantity &&
        each.unit === other.unit
      );
    })
  );
}
