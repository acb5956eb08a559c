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
/** An offer or answer of a session (RFC 8866); browsers write a few thousand characters. */
const MAX_SDP = 64_000;
/** A text sealed by the server for itself. */
const sealed = z
  .string()
  .max(2_000)
  .regex(/^[\w-]+$/);

const address = z.string().trim().min(1).max(MAX_ADDRESS);

/** Form fields of a camera without its organisation. */
export const webcamFields = {
  name: label(),
  kind: z.enum(WEBCAM_KINDS),
  address,
  accountId: id.nullable().default(null),
  assetId: id.nullable().default(null),
  /** Interval of scheduled snapshots; null: none. */
  snapshotMinutes: z
    .number()
    .refine((minutes) => SNAPSHOT_MINUTES.some((each) => each === minutes), { error: 'choice' })
    .nullable()
    .default(null),
  /** Whether an alarm of its asset triggers a snapshot. */
  snapshotAtAlarm: z.boolean().default(false),
};
type WebcamForm = z.output<z.ZodObject<typeof webcamFields>>;

/** The address must match the kind, and snapshots need a kind that supports them. */
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
  /** '' for users who may not edit it. */
  address: z.string(),
  accountName: z.string(),
  assetName: z.string(),
  /** Protocol for the console; null for RTSP without a gateway. */
  play: z.enum(['hls', 'mjpeg', 'whep']).nullable(),
  /** Time and fault of the last check; null: never, none. */
  checkedAt: moment.nullable(),
  fault: fault.nullable(),
  /** The latest snapshot. */
  snapshotId: z.number().int().nullable(),
  snapshotAt: moment.nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Webcam = z.output<typeof webcam>;

/** Filter of the list: all, working at the last check, failing. */
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

/** Throws `webcam.missing`. */
export const getWebcam = defineRoute({
  name: 'getWebcam',
  method: 'GET',
  path: '/asset-webcam/:id',
  access: VIEW,
  summary: 'One camera',
  params: z.object({ id }),
  response: webcam,
});

/** Throws `organization.not_found`, `asset.not_found`, `webcam.account_missing|account_elsewhere|asset_elsewhere|taken`. */
export const createWebcam = defineRoute({
  name: 'createWebcam',
  method: 'POST',
  path: '/asset-webcam',
  access: EDIT,
  summary: 'Add a camera',
  body: wholeWebcam(z.strictObject({ organizationId: id, ...webcamFields })),
  response: webcam,
});

/** Throws `webcam.missing` and what `createWebcam` throws. */
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

/** Snapshots of alarms are kept. Throws `webcam.missing`. */
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

/** Throws `webcam.missing`, `request.too_many`. */
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
 * The playlist of an HLS camera, or with `part` an item that it refers to; all addresses lead back here.
 * Throws `webcam.missing` and, like those below, `webcam.<fault>` (domain: WEBCAM_FAULTS) and
 * `request.too_many`.
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
    /** Bytes of the part, both ends inclusive. */
    from: z.coerce.number().int().min(0).optional(),
    to: z.coerce.number().int().min(0).optional(),
  }),
  response: download,
});

/**
 * Each picture is prefixed with its length in four bytes, big-endian. Ends after a few minutes. Throws
 * `webcam.missing`.
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

/** An ICE server, as `RTCIceServer` of WebRTC. */
const iceServer = z.object({
  urls: z.array(z.string()),
  username: z.string().optional(),
  credential: z.string().optional(),
});
export type IceServer = z.output<typeof iceServer>;

/** Begins a WHEP view with the ICE servers for the offer. Throws `webcam.missing`. */
export const beginWebcamSession = defineRoute({
  name: 'beginWebcamSession',
  method: 'GET',
  path: '/asset-webcam/:id/whep',
  access: VIEW,
  summary: 'STUN and TURN servers by which a browser reaches a WHEP camera',
  params: z.object({ id }),
  response: z.object({ iceServers: z.array(iceServer) }),
});

/** Throws `webcam.missing`. */
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
    /** Passed to `endWebcamSession`; null if the camera returned none. */
    session: z.string().nullable(),
  }),
});

/** Throws `webcam.missing`. */
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
  /** Null if there is no picture yet. */
  takenAt: moment.nullable(),
  fault: fault.nullable(),
  /** Who took it; '' for alarms and the schedule. */
  takenBy: z.string(),
});
export type WebcamSnapshot = z.output<typeof webcamSnapshot>;

/** Throws `webcam.missing`, `request.too_many`. */
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

/** Throws `webcam.snapshot_missing`. */
export const readWebcamSnapshot = defineRoute({
  name: 'readWebcamSnapshot',
  method: 'GET',
  path: '/asset-webcam/snapshot/:id',
  access: VIEW,
  summary: 'The bytes of a picture, as WebP',
  params: z.object({ id }),
  response: download,
});

/** Form fields of an account. */
const accountFields = {
  name: label(),
  /** Address of the camera or gateway: the password is sent only there. */
  url: address.pipe(z.url({ protocol: /^https?$/, error: 'format' })),
  username: orNone(label()).default(''),
};
const password = z.string().max(200);

export const webcamAccount = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...accountFields,
  /** The password itself is never returned. */
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

/** Throws `organization.not_found`, `webcam.account_taken`. */
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
 * An empty password keeps the stored one, but is refused if the address changes: it would be sent elsewhere.
 * Throws `webcam.account_missing|account_taken|account_in_use|password_needed`.
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

/** Throws `webcam.account_missing|account_in_use`. */
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
