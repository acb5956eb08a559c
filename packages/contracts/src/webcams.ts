import {
  givesSnapshots,
  isCameraAddress,
  SNAPSHOT_CAUSES,
  SNAPSHOT_MINUTES,
  WEBCAM_FAULTS,
  WEBCAM_KINDS,
} from '@isotherm/domain/assets/webcam';
import { z } from 'zod';
import { label, orNone, reason } from './fields.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

const VIEW = 'asset-webcams:view';
const EDIT = 'asset-webcams:edit';
const MAX_ADDRESS = 500;
/**
 * Longest session description (SDP, RFC 8866) of an offer or answer; browsers write a few thousand
 * characters.
 */
const MAX_SDP = 64_000;
/** A text that the server encrypted for itself. */
const sealed = z
  .string()
  .max(2_000)
  .regex(/^[\w-]+$/);

const address = z.string().trim().min(1).max(MAX_ADDRESS);

/** Form fields of a camera except its organisation. */
export const webcamFields = {
  name: label(),
  kind: z.enum(WEBCAM_KINDS),
  address,
  accountId: id.nullable().default(null),
  assetId: id.nullable().default(null),
  /** Interval of scheduled snapshots in minutes; null for none. */
  snapshotMinutes: z
    .number()
    .refine((minutes) => SNAPSHOT_MINUTES.some((each) => each === minutes), { error: 'choice' })
    .nullable()
    .default(null),
  /** True if an alarm of the camera's asset triggers a snapshot. */
  snapshotAtAlarm: z.boolean().default(false),
};
type WebcamForm = z.output<z.ZodObject<typeof webcamFields>>;

/**
 * Checks that the address matches the kind, and that snapshots are requested only for a kind that supports
 * them.
 */
export function wholeWebcam<T extends z.ZodType<WebcamForm>>(schema: T): T {
  return schema
    .refine(({ kind, address }) => isCameraAddress(kind, address), {
      path: ['address'],
      error: 'camera-address',
    })
    .refine(({ kind, snapshotMinutes }) => snapshotMinutes === null || givesSnapshots(kind), {
      path: ['snapshotMinutes'],
      error: 'no-snapshots',
    })
    .refine(({ kind, snapshotAtAlarm }) => !snapshotAtAlarm || givesSnapshots(kind), {
      path: ['snapshotAtAlarm'],
      error: 'no-snapshots',
    }) as T;
}

const fault = z.enum(WEBCAM_FAULTS);

export const webcam = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...webcamFields,
  /** Address of the camera; '' for users who may not edit it. */
  address: z.string(),
  accountName: z.string(),
  assetName: z.string(),
  /** Protocol by which the console plays the camera; null for RTSP without a gateway. */
  play: z.enum(['hls', 'mjpeg', 'whep']).nullable(),
  /** Time of the last check; null if there was none. */
  checkedAt: moment.nullable(),
  fault: fault.nullable(),
  /** Id of the latest snapshot; null if there is none. */
  snapshotId: z.number().int().nullable(),
  snapshotAt: moment.nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Webcam = z.output<typeof webcam>;

/** Filters of the list: all cameras, those that worked at the last check, those that failed. */
export const WEBCAMS_SHOWN = ['all', 'working', 'failing'] as const;

export const listWebcams = defineRoute({
  name: 'listWebcams',
  method: 'GET',
  path: '/asset-webcam',
  access: VIEW,
  summary: 'Cameras of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    shown: z.enum(WEBCAMS_SHOWN).default('all'),
    kind: z.enum(WEBCAM_KINDS).optional(),
    organizationId: id.optional(),
    assetId: id.optional(),
    sort: z.enum(['name', 'organizationName', 'checkedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(webcam),
});

/** Reads a camera. Throws `webcam.missing`. */
export const getWebcam = defineRoute({
  name: 'getWebcam',
  method: 'GET',
  path: '/asset-webcam/:id',
  access: VIEW,
  summary: 'One camera',
  params: z.object({ id }),
  response: webcam,
});

/**
 * Creates a camera. Throws `organization.not_found`, `asset.not_found`,
 * `webcam.account_missing|account_elsewhere|asset_elsewhere|taken`.
 */
export const createWebcam = defineRoute({
  name: 'createWebcam',
  method: 'POST',
  path: '/asset-webcam',
  access: EDIT,
  summary: 'Add a camera',
  body: wholeWebcam(z.strictObject({ organizationId: id, ...webcamFields })),
  response: webcam,
});

/** Edits a camera. Throws `webcam.missing` and the errors of `createWebcam`. */
export const editWebcam = defineRoute({
  name: 'editWebcam',
  method: 'PUT',
  path: '/asset-webcam/:id',
  access: EDIT,
  summary: 'Change a camera',
  params: z.object({ id }),
  body: wholeWebcam(z.strictObject(webcamFields)),
  response: webcam,
});

/** Deletes a camera. Snapshots of alarms are kept. Throws `webcam.missing`. */
export const deleteWebcam = defineRoute({
  name: 'deleteWebcam',
  method: 'DELETE',
  path: '/asset-webcam/:id',
  access: EDIT,
  summary: 'Delete a camera',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Tests the connection to a camera. Throws `webcam.missing`, `request.too_many`. */
export const testWebcam = defineRoute({
  name: 'testWebcam',
  method: 'POST',
  path: '/asset-webcam/:id/test',
  access: EDIT,
  summary: 'Ask the camera for its stream, and say what is wrong with the answer',
  params: z.object({ id }),
  response: z.object({ fault: fault.nullable() }),
});

/**
 * Returns the playlist of an HLS camera, or with `part` a file to which the playlist refers. All addresses
 * in it are replaced by addresses of this route. Throws `webcam.missing` and, like the routes below,
 * `webcam.<fault>` (domain: WEBCAM_FAULTS) and `request.too_many`.
 */
export const readWebcamStream = defineRoute({
  name: 'readWebcamStream',
  method: 'GET',
  path: '/asset-webcam/:id/hls',
  access: VIEW,
  summary: 'Playlist and segments of an HLS camera, or of an RTSP one through the media gateway',
  params: z.object({ id }),
  query: z.object({
    part: sealed.optional(),
    /** First byte of the requested range of the part; both ends are inclusive. */
    from: z.coerce.number().int().min(0).optional(),
    to: z.coerce.number().int().min(0).optional(),
  }),
  response: download,
});

/**
 * Streams the images of a camera. Each image is preceded by its length in four bytes, big-endian. The stream
 * ends after a few minutes. Throws `webcam.missing`.
 */
export const readWebcamFrames = defineRoute({
  name: 'readWebcamFrames',
  method: 'GET',
  path: '/asset-webcam/:id/mjpeg',
  access: VIEW,
  summary: 'Pictures of a motion JPEG camera as they come',
  params: z.object({ id }),
  response: download,
});

/** An ICE server in the format of `RTCIceServer` (WebRTC). */
const iceServer = z.object({
  urls: z.array(z.string()),
  username: z.string().optional(),
  credential: z.string().optional(),
});
export type IceServer = z.output<typeof iceServer>;

/** Starts a WHEP session and returns the ICE servers for the offer. Throws `webcam.missing`. */
export const beginWebcamSession = defineRoute({
  name: 'beginWebcamSession',
  method: 'GET',
  path: '/asset-webcam/:id/whep',
  access: VIEW,
  summary: 'STUN and TURN servers by which a browser reaches a WHEP camera',
  params: z.object({ id }),
  response: z.object({ iceServers: z.array(iceServer) }),
});

/** Forwards a WHEP offer to a camera. Throws `webcam.missing`. */
export const offerToWebcam = defineRoute({
  name: 'offerToWebcam',
  method: 'POST',
  path: '/asset-webcam/:id/whep',
  access: VIEW,
  summary: 'Hand an offer to a WHEP camera; answers with its answer',
  params: z.object({ id }),
  body: z.strictObject({ sdp: z.string().min(1).max(MAX_SDP) }),
  response: z.object({
    sdp: z.string(),
    /** Value to pass to `endWebcamSession`; null if the camera returned none. */
    session: z.string().nullable(),
  }),
});

/** Ends a WHEP session. Throws `webcam.missing`. */
export const endWebcamSession = defineRoute({
  name: 'endWebcamSession',
  method: 'POST',
  path: '/asset-webcam/:id/whep/end',
  access: VIEW,
  summary: 'End a session with a WHEP camera',
  params: z.object({ id }),
  body: z.strictObject({ session: sealed }),
  response: z.null(),
});

export const webcamSnapshot = z.object({
  id: z.number().int(),
  webcamId: z.number().int(),
  webcamName: z.string(),
  cause: z.enum(SNAPSHOT_CAUSES),
  alarmId: z.number().int().nullable(),
  wantedAt: moment,
  /** Time of the snapshot; null while there is no image yet. */
  takenAt: moment.nullable(),
  fault: fault.nullable(),
  /** Name of the user who took the snapshot; '' for snapshots of alarms and of the schedule. */
  takenBy: z.string(),
});
export type WebcamSnapshot = z.output<typeof webcamSnapshot>;

/** Takes a snapshot. Throws `webcam.missing`, `request.too_many`. */
export const takeWebcamSnapshot = defineRoute({
  name: 'takeWebcamSnapshot',
  method: 'POST',
  path: '/asset-webcam/:id/snapshot',
  access: 'asset-webcams:snapshot',
  summary: 'Take a picture now; answers with it, or with what was wrong',
  params: z.object({ id }),
  response: webcamSnapshot,
});

export const listWebcamSnapshots = defineRoute({
  name: 'listWebcamSnapshots',
  method: 'GET',
  path: '/asset-webcam/snapshot',
  access: VIEW,
  summary: 'Pictures of a camera or of an alarm, newest first',
  query: z.object({ ...paging, webcamId: id.optional(), alarmId: id.optional() }),
  response: pageOf(webcamSnapshot),
});

/** Returns the image of a snapshot. Throws `webcam.snapshot_missing`. */
export const readWebcamSnapshot = defineRoute({
  name: 'readWebcamSnapshot',
  method: 'GET',
  path: '/asset-webcam/snapshot/:id',
  access: VIEW,
  summary: 'The bytes of a picture, as WebP',
  params: z.object({ id }),
  response: download,
});

/** Form fields of a camera account. */
const accountFields = {
  name: label(),
  /** Address of the camera or gateway. The password is sent only to this address. */
  url: address.pipe(z.url({ protocol: /^https?$/, error: 'format' })),
  username: orNone(label()).default(''),
};
const password = z.string().max(200);

export const webcamAccount = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...accountFields,
  /** True if a password is stored. The password itself is never returned. */
  hasPassword: z.boolean(),
  webcams: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type WebcamAccount = z.output<typeof webcamAccount>;

export const listWebcamAccounts = defineRoute({
  name: 'listWebcamAccounts',
  method: 'GET',
  path: '/asset-webcam/account',
  access: EDIT,
  summary: 'Accounts of cameras of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['name', 'organizationName', 'changedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(webcamAccount),
});

/** Creates a camera account. Throws `organization.not_found`, `webcam.account_taken`. */
export const createWebcamAccount = defineRoute({
  name: 'createWebcamAccount',
  method: 'POST',
  path: '/asset-webcam/account',
  access: EDIT,
  summary: 'Add an account of cameras',
  body: z.strictObject({ organizationId: id, ...accountFields, password: password.default('') }),
  response: webcamAccount,
});

/**
 * Edits a camera account. An empty password keeps the stored one, but is refused if the address changes,
 * because the stored one would be sent to another address. Throws
 * `webcam.account_missing|account_taken|account_in_use|password_needed`.
 */
export const editWebcamAccount = defineRoute({
  name: 'editWebcamAccount',
  method: 'PUT',
  path: '/asset-webcam/account/:id',
  access: EDIT,
  summary: 'Change an account of cameras',
  params: z.object({ id }),
  body: z.strictObject({ ...accountFields, password: password.default('') }),
  response: webcamAccount,
});

/** Deletes a camera account. Throws `webcam.account_missing|account_in_use`. */
export const deleteWebcamAccount = defineRoute({
  name: 'deleteWebcamAccount',
  method: 'DELETE',
  path: '/asset-webcam/account/:id',
  access: EDIT,
  summary: 'Delete an account that no camera uses',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
