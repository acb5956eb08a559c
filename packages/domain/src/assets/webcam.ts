/** Protocols of cameras. No browser plays RTSP, so it needs a media gateway. */
export const WEBCAM_KINDS = ['hls', 'mjpeg', 'rtsp', 'whep'] as const;
export type WebcamKind = (typeof WEBCAM_KINDS)[number];

/** Protocols that the console can play. */
export type WebcamPlay = Exclude<WebcamKind, 'rtsp'>;

/** Reasons why there is no image. Each has a message, `errors.webcam.<fault>`. */
export const WEBCAM_FAULTS = [
  'address_refused',
  'answer',
  'certificate',
  'elsewhere',
  'no_ffmpeg',
  'no_gateway',
  'no_picture',
  'no_snapshots',
  'not_a_stream',
  'not_found',
  'timed_out',
  'too_large',
  'unauthorized',
  'unknown_host',
  'unreachable',
] as const;
export type WebcamFault = (typeof WEBCAM_FAULTS)[number];

/** Causes of a snapshot. */
export const SNAPSHOT_CAUSES = ['alarm', 'person', 'schedule'] as const;
export type SnapshotCause = (typeof SNAPSHOT_CAUSES)[number];

/** Intervals of scheduled snapshots in minutes. */
export const SNAPSHOT_MINUTES = [5, 15, 30, 60, 240, 1440] as const;

const SCHEMES: Record<WebcamKind, readonly string[]> = {
  hls: ['http:', 'https:'],
  mjpeg: ['http:', 'https:'],
  rtsp: ['rtsp:', 'rtsps:'],
  whep: ['http:', 'https:'],
};

/**
 * Returns whether the server can take snapshots. It cannot with WHEP, which sends video to a browser only.
 */
export function givesSnapshots(kind: WebcamKind): boolean {
  return kind !== 'whep';
}

/** Returns the protocol by which the console plays a camera; null for RTSP without a gateway. */
export function playOf(kind: WebcamKind, hasGateway: boolean): WebcamPlay | null {
  if (kind !== 'rtsp') return kind;
  return hasGateway ? 'hls' : null;
}

/** Returns the path of a camera at the media gateway. */
export function gatewayPath(webcamId: number): string {
  return `webcam-${webcamId}`;
}

function parsed(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}

/** Returns true for a valid address without user name and password, which belong to an account instead. */
export function isCameraAddress(kind: WebcamKind, address: string): boolean {
  const url = parsed(address);
  return (
    url !== null &&
    SCHEMES[kind].includes(url.protocol) &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === ''
  );
}

/**
 * Returns whether a camera's address belongs to its account, because a password is sent only there. For
 * HTTP, scheme, host and port must match; RTSP uses another port.
 */
export function isOfAccount(address: string, accountUrl: string): boolean {
  const [camera, account] = [parsed(address), parsed(accountUrl)];
  if (camera === null || account === null) return false;
  return SCHEMES.rtsp.includes(camera.protocol)
    ? camera.hostname.toLowerCase() === account.hostname
    : camera.origin === account.origin;
}
