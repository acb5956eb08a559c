import { AppError } from '@isotherm/contracts/errors';
import type { Download } from '@isotherm/contracts/route';
import {
  createScreen,
  createScreenLink,
  deleteScreen,
  editScreen,
  getScreen,
  listScreens,
  MAX_SCREEN_ASSETS,
  readScreen,
  readScreenPicture,
  revokeScreenLink,
  SCREEN_ANNOUNCEMENTS,
  SCREEN_COURSES,
  type Screen,
  type ScreenView,
  viewScreen,
  viewScreenPicture,
} from '@isotherm/contracts/screens';
import type { Premium, PremiumState } from '@isotherm/domain/billing/premium';
import { clockText, type TileKind } from '@isotherm/domain/screens/layout';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { FindLink, PublicLinks } from '../../platform/public-links/public-links.ts';
import { listForAll } from '../announcements/index.ts';
import { type AssetsService, downloadPicture, listNewestPictures } from '../assets/index.ts';
import { listPlacesOf } from '../geo/index.ts';
import { findOrganizationPath } from '../identity/index.ts';
import {
  countOwnScreens,
  deleteScreenRow,
  findScreenRow,
  insertScreen,
  listScreenRows,
  lockScreen,
  type ScreenRow,
  updateScreen,
} from './screens.repo.ts';

const PURPOSE = 'screen';
const DAY_MS = 86_400_000;
/** Screens of an organisation, and open links of a screen. */
const MOST_SCREENS = 50;
const MOST_LINKS = 20;
/** How often the link of a screen is read in a quarter of an hour: by about twenty displays, six times a minute each. */
const MOST_VIEWS = 2_000;

export interface ScreenParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  assets: Pick<AssetsService, 'cards' | 'sparklines'>;
  links: Pick<PublicLinks, 'create' | 'use' | 'revoke' | 'listOpen'>;
  findLink: FindLink;
  /** Counts calls of a subject against a limit. */
  limit: (subject: string, most: number) => Promise<void>;
  /** Whether an organisation may use the premium service now. */
  premiumOf(db: Db, organizationId: number, service: 'smart-screen'): Promise<Premium>;
}

/** Smart screens: their layouts, their public links, and what they show (docs/screen.md). */
export function createScreens(parts: ScreenParts): { mount(mount: Mount): void } {
  const { pool, audit, clock, assets, links, findLink, limit, premiumOf } = parts;

  /** The screens with their open links and the state of the service, which is read once for each organisation. */
  async function viewsOf(rows: readonly ScreenRow[]): Promise<Screen[]> {
    const ids = rows.map(({ id }) => id);
    const open = await links.listOpen(pool, PURPOSE, ids, clock.now());
    const states = new Map<number, PremiumState>();
    for (const id of new Set(rows.map(({ organizationId }) => organizationId)))
      states.set(id, (await premiumOf(pool, id, 'smart-screen')).state);
    return rows.map(({ organizationPath: _, changedAt, ...fields }) => ({
      ...fields,
      changedAt: changedAt.toISOString(),
      links: open
        .filter(({ subjectId }) => subjectId === fields.id)
        .map(({ id, createdAt, expiresAt, lastUsedAt }) => ({
          id,
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
          lastOpenedAt: lastUsedAt?.toISOString() ?? null,
        })),
      service: states.get(fields.organizationId) ?? 'not-activated',
    }));
  }
  const viewOf = async (row: ScreenRow): Promise<Screen> => (await viewsOf([row]))[0] as Screen;

  /** Throws `screen.not_found`, also for a screen outside the scope. */
  async function find(db: Db, scope: string, id: number): Promise<ScreenRow> {
    const row = await findScreenRow(db, scope, id);
    if (!row) throw new AppError('screen.not_found');
    return row;
  }

  async function permit(db: Db, organizationId: number): Promise<void> {
    const { state } = await premiumOf(db, organizationId, 'smart-screen');
    if (state !== 'active' && state !== 'trial') throw new AppError('screen.inactive');
  }

  const records = createKeptRecords<ScreenRow>(pool, audit, {
    find: (db, { scope }, id) => find(db, scope, id),
    lock: lockScreen,
    objectOf,
    fieldsOf,
  });

  /** Throws `organization.not_found`, and `screen.many` if the organisation has as many screens as are possible. */
  async function permitOneMore(tx: Tx, { scope }: Caller, organizationId: number): Promise<void> {
    if ((await findOrganizationPath(tx, scope, organizationId)) === null)
      throw new AppError('organization.not_found');
    if ((await countOwnScreens(tx, organizationId)) >= MOST_SCREENS)
      throw new AppError('screen.many', { most: MOST_SCREENS });
  }

  /**
   * Throws `webcam.missing` for a webcam that does not belong to the organisation or to one below it. One that is `known` to the
   * screen may have been removed since: its tile says so.
   */
  async function permitWebcams(
    tx: Tx,
    { scope }: Caller,
    { organizationId, pages }: Pick<ScreenRow, 'organizationId' | 'pages'>,
    known: readonly number[],
  ): Promise<void> {
    const wanted = webcamsOf(pages).filter((id) => !known.includes(id));
    if (wanted.length === 0) return;
    const path = await findOrganizationPath(tx, scope, organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const found = await listNewestPictures(tx, path, wanted);
    if (found.length < wanted.length) throw new AppError('webcam.missing');
  }

  /** The screen of a public link that still works. Counts the call against the limit of `subject`. */
  async function findByLink(token: string, address: string, subject: string): Promise<ScreenRow> {
    const link = await findLink(PURPOSE, token, address);
    if (!link) throw new AppError('link.not_found');
    await limit(`${subject}:${link.subjectId}`, MOST_VIEWS);
    const row = await findScreenRow(pool, '/', link.subjectId);
    if (!row) throw new AppError('link.not_found');
    await permit(pool, row.organizationId);
    return row;
  }

  /** A picture that the screen shows now. Earlier ones of its webcams are not for whoever has its link. */
  async function pictureOf({ organizationPath, pages }: ScreenRow, id: number): Promise<Download> {
    const shown = await listNewestPictures(pool, organizationPath, webcamsOf(pages));
    if (!shown.some(({ picture }) => picture?.id === id)) throw new AppError('webcam.snapshot_missing');
    return downloadPicture(pool, organizationPath, id);
  }

  /** What a screen shows of the assets of its organisation and of those below it. */
  async function read({ name, organizationName, organizationPath, pages, pageSeconds, dim }: ScreenRow) {
    // The assets are those of the screen's organisation, whoever looks at it.
    const scope = { scope: organizationPath };
    const all = await assets.cards(scope);
    const cards = all.slice(0, MAX_SCREEN_ASSETS);
    const now = new Date(clock.now());
    const stateOf = new Map(cards.map(({ id, state }) => [id, state]));
    const places = hasTile(pages, 'map') ? await listPlacesOf(pool, [...stateOf.keys()]) : [];
    const cameras = await listNewestPictures(pool, organizationPath, webcamsOf(pages));
    const announcements = hasTile(pages, 'announcements')
      ? await listForAll(pool, organizationPath, SCREEN_ANNOUNCEMENTS, now)
      : [];
    const count = (...kinds: ScreenView['cards'][number]['state']['kind'][]) =>
      all.filter(({ state }) => kinds.includes(state.kind)).length;
    return {
      name,
      organizationName,
      pages,
      pageSeconds,
      dim,
      figures: {
        alarm: count('alarm'),
        ended: count('ended'),
        pending: count('pending'),
        unknown: count('unknown'),
        normal: count('normal'),
        unset: count('unset', 'expired'),
      },
      cards,
      total: all.length,
      sparklines: await assets.sparklines(
        scope,
        cards.slice(0, SCREEN_COURSES).map(({ id }) => id),
      ),
      places: places.flatMap((place) => {
        const state = stateOf.get(place.id);
        return state ? [{ ...place, state }] : [];
      }),
      cameras: cameras.map(({ picture, ...camera }) => ({
        ...camera,
        picture: picture && { id: picture.id, takenAt: picture.takenAt.toISOString() },
      })),
      announcements: announcements.map((each) => ({ ...each, publishedAt: each.publishedAt.toISOString() })),
      serverTime: now.toISOString(),
    } satisfies ScreenView;
  }

  return {
    mount(mount) {
      mount(listScreens, async ({ caller, query }) => {
        const { rows, total } = await listScreenRows(pool, caller.scope, {
          ...query,
          limit: query.pageSize,
          offset: (query.page - 1) * query.pageSize,
        });
        return { items: await viewsOf(rows), total };
      });
      mount(getScreen, async ({ caller, params: { id } }) => viewOf(await find(pool, caller.scope, id)));
      mount(createScreen, async ({ caller, body }) =>
        viewOf(
          await records.create(caller, async (tx) => {
            await permitOneMore(tx, caller, body.organizationId);
            await permitWebcams(tx, caller, body, []);
            return insertScreen(tx, body, caller.username, new Date(clock.now()));
          }),
        ),
      );
      mount(editScreen, async ({ caller, params: { id }, body }) =>
        viewOf(
          await records.change(caller, id, async (tx, before) => {
            if (before.organizationId !== body.organizationId)
              await permitOneMore(tx, caller, body.organizationId);
            await permitWebcams(tx, caller, body, webcamsOf(before.pages));
            await updateScreen(tx, id, body, caller.username, new Date(clock.now()));
          }),
        ),
      );
      mount(deleteScreen, ({ caller, params: { id }, body: { reason } }) =>
        records.remove(caller, id, reason, (tx) => deleteScreenRow(tx, id)),
      );
      mount(createScreenLink, ({ caller, params: { id }, body: { days } }) =>
        transaction(pool, async (tx) => {
          await lockScreen(tx, id);
          const row = await find(tx, caller.scope, id);
          await permit(tx, row.organizationId);
          if ((await links.listOpen(tx, PURPOSE, [id], clock.now())).length >= MOST_LINKS)
            throw new AppError('screen.links', { most: MOST_LINKS });
          const lifeMs = days * DAY_MS;
          const token = await links.create(
            tx,
            { purpose: PURPOSE, subjectId: id, person: null, lifeMs, mostUses: null, sentBy: '' },
            clock.now(),
          );
          await audit.record(tx, caller, {
            action: 'create',
            ...objectOf(row),
            objectKind: 'screen-link',
            after: { days },
          });
          return token;
        }).then(async (token) => ({ token, screen: await viewOf(await find(pool, caller.scope, id)) })),
      );
      mount(revokeScreenLink, ({ caller, params: { id, linkId } }) =>
        transaction(pool, async (tx) => {
          const row = await find(tx, caller.scope, id);
          const link = { id: linkId, by: caller.accountId };
          if (!(await links.revoke(tx, PURPOSE, id, link, clock.now()))) throw new AppError('link.not_found');
          await audit.record(tx, caller, { action: 'delete', ...objectOf(row), objectKind: 'screen-link' });
        }).then(async () => viewOf(await find(pool, caller.scope, id))),
      );
      mount(readScreen, async ({ caller, params: { id } }) => {
        const row = await find(pool, caller.scope, id);
        await permit(pool, row.organizationId);
        return read(row);
      });
      mount(viewScreen, async ({ body: { token }, address }) => {
        const row = await findByLink(token, address, 'screen');
        await transaction(pool, (tx) => links.use(tx, PURPOSE, token, clock.now()));
        return read(row);
      });
      mount(readScreenPicture, async ({ caller, params: { id, pictureId } }) => {
        const row = await find(pool, caller.scope, id);
        await permit(pool, row.organizationId);
        return pictureOf(row, pictureId);
      });
      mount(viewScreenPicture, async ({ body: { token, pictureId }, address }) =>
        pictureOf(await findByLink(token, address, 'screen-picture'), pictureId),
      );
    },
  };
}

const hasTile = (pages: ScreenRow['pages'], wanted: TileKind): boolean =>
  pages.some(({ tiles }) => tiles.some(({ kind }) => kind === wanted));

/** The webcams of the camera tiles of a screen. */
const webcamsOf = (pages: ScreenRow['pages']): number[] => [
  ...new Set(
    pages.flatMap(({ tiles }) =>
      tiles.flatMap(({ kind, webcamId }) => (kind === 'camera' && webcamId ? [webcamId] : [])),
    ),
  ),
];

const objectOf = (row: ScreenRow) => ({
  objectKind: 'screen',
  objectId: row.id,
  objectName: row.name,
  organizationPath: row.organizationPath,
});

const fieldsOf = ({ name, pages, pageSeconds, dim, organizationName }: ScreenRow) => ({
  name,
  organization: organizationName,
  pages: pages.length,
  pageSeconds,
  dim: dim && `${clockText(dim.from)}–${clockText(dim.to)}`,
});
