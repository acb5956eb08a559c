import { PREMIUM_STATES } from '@isotherm/domain/billing/premium';
import { layoutFault, TILE_KINDS, type Tile } from '@isotherm/domain/screens/layout';
import { z } from 'zod';
import { assetCard, assetState, sparkline } from './assets.ts';
import { label, reason } from './fields.ts';
import { linkToken } from './public-links.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';
import { LINK_DAYS } from './waybill-links.ts';

/** Number of pages that a screen shows in turn. */
export const MAX_SCREEN_PAGES = 8;
/** How long each page is shown, seconds. */
export const PAGE_SECONDS = [10, 20, 30, 60, 120] as const;
/** Interval at which a screen reads its data. */
export const SCREEN_EVERY_MS = 10_000;
/** Number of assets that a screen receives, the worst first. */
export const MAX_SCREEN_ASSETS = 400;
/** Number of announcements that a screen shows. */
export const SCREEN_ANNOUNCEMENTS = 6;
/** Number of assets whose course a screen shows. */
export const SCREEN_COURSES = 8;

const minuteOfDay = z.number().int().min(0).max(1_439);

const tile = z.strictObject({
  kind: z.enum(TILE_KINDS),
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
  /** Text of a notice; empty for other tiles. */
  text: z.string().trim().max(500).default(''),
  /** Webcam of a camera tile; null for other tiles, and while none is chosen. */
  webcamId: id.nullable().default(null),
});
export type ScreenTile = z.output<typeof tile>;

/** A tile that has nothing of its own to show yet. */
export const newTile = (place: Tile): ScreenTile => ({ ...place, text: '', webcamId: null });

const page = z.strictObject({
  tiles: z
    .array(tile)
    .min(1)
    .max(40)
    .refine((tiles) => layoutFault(tiles) === null, { error: 'screen-layout' }),
});
export type ScreenPage = z.output<typeof page>;

const content = {
  pages: z.array(page).min(1).max(MAX_SCREEN_PAGES),
  pageSeconds: z.union(PAGE_SECONDS.map((each) => z.literal(each))),
  /** Hours in which the screen is dimmed, in the time zone of its viewer; null: never. */
  dim: z.strictObject({ from: minuteOfDay, to: minuteOfDay }).nullable(),
};

export const screenInput = z.strictObject({ organizationId: id, name: label(60), ...content });
export type ScreenInput = z.output<typeof screenInput>;

const link = z.object({
  id: z.number().int(),
  createdAt: moment,
  expiresAt: moment,
  lastOpenedAt: moment.nullable(),
});

export const screen = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  name: z.string(),
  ...content,
  /** Public links that still work, the newest first. */
  links: z.array(link),
  /** Whether the organisation may use the smart screen now. */
  service: z.enum(PREMIUM_STATES),
  changedBy: z.string(),
  changedAt: moment,
});
export type Screen = z.output<typeof screen>;

export const listScreens = defineRoute({
  name: 'listScreens',
  method: 'GET',
  path: '/screen',
  access: 'screen:view',
  summary: 'Smart screens of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['name', 'changedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(screen),
});

/** Throws `screen.not_found`. */
export const getScreen = defineRoute({
  name: 'getScreen',
  method: 'GET',
  path: '/screen/:id',
  access: 'screen:view',
  summary: 'One smart screen with its layout',
  params: z.object({ id }),
  response: screen,
});

/** Throws `organization.not_found`, `screen.many`, `webcam.missing`. */
export const createScreen = defineRoute({
  name: 'createScreen',
  method: 'POST',
  path: '/screen',
  access: 'screen:edit',
  summary: 'Create a smart screen',
  body: screenInput,
  response: screen,
});

/** Throws `screen.not_found`, `organization.not_found`, `screen.many`, `webcam.missing`. */
export const editScreen = defineRoute({
  name: 'editScreen',
  method: 'PUT',
  path: '/screen/:id',
  access: 'screen:edit',
  summary: 'Change a smart screen',
  params: z.object({ id }),
  body: screenInput,
  response: screen,
});

/** Its public links stop working. Throws `screen.not_found`. */
export const deleteScreen = defineRoute({
  name: 'deleteScreen',
  method: 'DELETE',
  path: '/screen/:id',
  access: 'screen:edit',
  summary: 'Delete a smart screen',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Creates a link that shows the screen without login; its token is returned only now. Throws `screen.not_found|inactive|links`. */
export const createScreenLink = defineRoute({
  name: 'createScreenLink',
  method: 'POST',
  path: '/screen/:id/link',
  access: 'screen:share',
  summary: 'Create a public link to a smart screen',
  params: z.object({ id }),
  body: z.strictObject({ days: z.union(LINK_DAYS.map((days) => z.literal(days))) }),
  response: z.object({ token: z.string(), screen }),
});

/** Throws `screen.not_found`, `link.not_found`. */
export const revokeScreenLink = defineRoute({
  name: 'revokeScreenLink',
  method: 'DELETE',
  path: '/screen/:id/link/:linkId',
  access: 'screen:share',
  summary: 'Revoke a public link to a smart screen',
  params: z.object({ id, linkId: id }),
  response: screen,
});

/** What a screen shows. Assets are those of its organisation and of the ones below it. */
export const screenView = z.object({
  name: z.string(),
  organizationName: z.string(),
  ...content,
  /** Numbers of all assets by the kind of their state. */
  figures: z.object({
    alarm: z.number().int(),
    /** Ended and not acknowledged. */
    ended: z.number().int(),
    pending: z.number().int(),
    unknown: z.number().int(),
    normal: z.number().int(),
    unset: z.number().int(),
  }),
  /** The worst first; at most `MAX_SCREEN_ASSETS`. */
  cards: z.array(assetCard),
  total: z.number().int(),
  /** Courses of the first `SCREEN_COURSES` of them. */
  sparklines: z.array(sparkline),
  /** Places of the assets, if a page has a map. */
  places: z.array(
    z.object({ id: z.number().int(), latitude: z.number(), longitude: z.number(), state: assetState }),
  ),
  /** Webcams of the camera tiles that still exist, with their newest pictures. */
  cameras: z.array(
    z.object({
      webcamId: z.number().int(),
      name: z.string(),
      /** Null if there is no picture yet. */
      picture: z.object({ id: z.number().int(), takenAt: moment }).nullable(),
    }),
  ),
  /** The newest announcements for all users of the screen's organisation, if a page shows them; at most `SCREEN_ANNOUNCEMENTS`. */
  announcements: z.array(
    z.object({
      id: z.number().int(),
      title: z.string(),
      summary: z.string(),
      organizationName: z.string(),
      publishedAt: moment,
    }),
  ),
  serverTime: moment,
});
export type ScreenView = z.output<typeof screenView>;

/** Throws `screen.not_found|inactive`. */
export const readScreen = defineRoute({
  name: 'readScreen',
  method: 'GET',
  path: '/screen/:id/view',
  access: 'screen:view',
  summary: 'What a smart screen shows now',
  params: z.object({ id }),
  response: screenView,
});

/** Throws `link.not_found`, `screen.inactive`, `request.too_many`. */
export const viewScreen = defineRoute({
  name: 'viewScreen',
  method: 'POST',
  path: '/link/screen',
  access: 'public',
  summary: 'What a smart screen shows, by its public link',
  body: z.strictObject({ token: linkToken }),
  response: screenView,
});

/** Returns a picture of a camera tile. Throws `screen.not_found|inactive`, `webcam.snapshot_missing`. */
export const readScreenPicture = defineRoute({
  name: 'readScreenPicture',
  method: 'GET',
  path: '/screen/:id/picture/:pictureId',
  access: 'screen:view',
  summary: 'The bytes of a picture that a smart screen shows, as WebP',
  params: z.object({ id, pictureId: id }),
  response: download,
});

/** Throws `link.not_found`, `screen.inactive`, `request.too_many`, `webcam.snapshot_missing`. */
export const viewScreenPicture = defineRoute({
  name: 'viewScreenPicture',
  method: 'POST',
  path: '/link/screen/picture',
  access: 'public',
  summary: 'A picture that a smart screen shows, by its public link',
  body: z.strictObject({ token: linkToken, pictureId: id }),
  response: download,
});
