import {
  type Car,
  type CarScreen,
  type CarScreenView,
  createCarScreen,
  listCarScreens,
  listCars,
  MAX_CARS,
  MAX_SCREEN_CARS,
  revokeCarScreen,
  TRAIL_MS,
  viewCarScreen,
  viewCarTrail,
} from '@isotherm/contracts/car-screens';
import { AppError } from '@isotherm/contracts/errors';
import { compareByAttention } from '@isotherm/domain/assets/attention';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { FindLink, PublicLinks } from '../../../platform/public-links/public-links.ts';
import type { AssetsService } from '../../assets/index.ts';
import type { PlaceRow } from '../geo.repo.ts';
import { shownTrack } from '../shown-track.ts';
import { toPlace } from '../to-place.ts';
import { loadFixes } from '../track-lines.ts';
import {
  countCars,
  deleteClosedScreens,
  findScreen,
  insertScreen,
  listCarRows,
  listOpenScreens,
  lockScreens,
  type OpenScreenRow,
  PURPOSE,
  type ScreenRow,
} from './cars.repo.ts';

const DAY_MS = 86_400_000;
/** More screens of an organisation than this are not needed; old ones can be revoked. */
const MOST_SCREENS = 50;
/** How often the link of a screen is read in a quarter of an hour: by about twenty screens, six times a minute each. */
const MOST_VIEWS = 2_000;
/** How often its trails are read: by about twenty screens, once for each vehicle that they show for five seconds. */
const MOST_TRAILS = 4_000;

export interface CarParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  cardsOf: AssetsService['cardsOf'];
  links: Pick<PublicLinks, 'create' | 'use' | 'revoke'>;
  findLink: FindLink;
  /** Counts calls of a subject against a limit. */
  limit: (subject: string, most: number) => Promise<void>;
}

/** Mounts the car monitor, and its full screen that whoever has the public link sees without login. */
export function mountCars(mount: Mount, parts: CarParts): void {
  const { pool, audit, clock, cardsOf, links, findLink, limit } = parts;
  const serverTime = () => new Date(clock.now()).toISOString();

  async function carsOf(scope: string, ids: readonly number[] | null): Promise<Car[]> {
    const rows = await listCarRows(pool, scope, ids, MAX_CARS);
    const placeOf = new Map(rows.map((row) => [row.id, row]));
    const cards = await cardsOf([...placeOf.keys()], scope);
    return cards
      .map(({ card }): Car => {
        const { id, kind, name, place, organizationName, state, main } = card;
        const row = placeOf.get(id);
        const at = row && row.latitude !== null && row.longitude !== null ? toPlace(row as PlaceRow) : null;
        return { id, kind, name, place, organizationName, state, main, at };
      })
      .sort(compareByAttention);
  }

  /** The screen of a link that works. Calls of a kind are counted together. Throws `link.not_found`, `request.too_many`. */
  async function open(token: string, address: string, kind: string, most: number): Promise<ScreenRow> {
    const link = await findLink(PURPOSE, token, address);
    if (!link) throw new AppError('link.not_found');
    await limit(`${kind}:${link.subjectId}`, most);
    const screen = await findScreen(pool, link.subjectId);
    if (!screen) throw new AppError('link.not_found');
    return screen;
  }

  const list = async (db: Db, scope: string): Promise<CarScreen[]> =>
    (await listOpenScreens(db, scope, new Date(clock.now()))).map(
      ({ assetIds, organizationPath: _, createdAt, expiresAt, lastOpenedAt, ...screen }) => ({
        ...screen,
        vehicles: assetIds.length,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        lastOpenedAt: lastOpenedAt?.toISOString() ?? null,
      }),
    );

  const entryOf = ({ id, name, organizationPath, assetIds, intervalS, expiresAt }: OpenScreenRow) => ({
    objectKind: 'car-screen',
    objectId: id,
    objectName: name,
    organizationPath,
    fields: { vehicles: assetIds, intervalS, expiresAt: expiresAt.toISOString() },
  });

  mount(listCars, async ({ caller }) => ({
    cars: await carsOf(caller.scope, null),
    total: await countCars(pool, caller.scope),
    serverTime: serverTime(),
  }));

  mount(listCarScreens, ({ caller }) => list(pool, caller.scope));

  mount(createCarScreen, ({ caller, body: { days, assetIds, name, intervalS } }) =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const wanted = [...new Set(assetIds)];
      const known = wanted.length === 0 ? [] : await listCarRows(tx, caller.scope, wanted, MAX_SCREEN_CARS);
      if (known.length < wanted.length) throw new AppError('asset.not_found');
      const { organizationId } = caller;
      await lockScreens(tx, organizationId);
      await deleteClosedScreens(tx, organizationId);
      const open = await listOpenScreens(tx, caller.scope, new Date(now));
      if (open.length >= MOST_SCREENS) throw new AppError('map.many_screens', { most: MOST_SCREENS });
      const id = await insertScreen(tx, { organizationId, name, assetIds: wanted, intervalS }, new Date(now));
      const token = await links.create(
        tx,
        { purpose: PURPOSE, subjectId: id, person: null, lifeMs: days * DAY_MS, mostUses: null, sentBy: '' },
        now,
      );
      const made = (await listOpenScreens(tx, caller.scope, new Date(now))).find((each) => each.id === id);
      const { fields, ...entry } = entryOf(made as OpenScreenRow);
      await audit.record(tx, caller, { action: 'create', ...entry, after: fields });
      return { token, screens: await list(tx, caller.scope) };
    }),
  );

  mount(revokeCarScreen, ({ caller, params: { id } }) =>
    transaction(pool, async (tx) => {
      const open = await listOpenScreens(tx, caller.scope, new Date(clock.now()));
      const screen = open.find((each) => each.id === id);
      const link = screen && { id: screen.linkId, by: caller.accountId };
      if (!link || !(await links.revoke(tx, PURPOSE, id, link, clock.now())))
        throw new AppError('link.not_found');
      const { fields, ...entry } = entryOf(screen);
      await audit.record(tx, caller, { action: 'delete', ...entry, before: fields });
      return list(tx, caller.scope);
    }),
  );

  mount(viewCarScreen, async ({ body: { token }, address }): Promise<CarScreenView> => {
    const screen = await open(token, address, 'car-screen', MOST_VIEWS);
    await transaction(pool, (tx) => links.use(tx, PURPOSE, token, clock.now()));
    const { name, intervalS, assetIds, organizationPath } = screen;
    return {
      name,
      intervalS,
      cars: await carsOf(organizationPath, assetIds.length === 0 ? null : assetIds),
      serverTime: serverTime(),
    };
  });

  mount(viewCarTrail, async ({ body: { token, assetId, toleranceM }, address }) => {
    const { assetIds, organizationPath } = await open(token, address, 'car-trail', MOST_TRAILS);
    const isChosen = assetIds.length === 0 || assetIds.includes(assetId);
    if (!isChosen || (await listCarRows(pool, organizationPath, [assetId], 1)).length === 0)
      throw new AppError('asset.not_found');
    const now = clock.now();
    const fixes = await loadFixes(pool, assetId, new Date(now - TRAIL_MS), new Date(now));
    const { at, latitude, longitude, lineEnds } = shownTrack(fixes, toleranceM);
    return { at, latitude, longitude, lineEnds };
  });
}
