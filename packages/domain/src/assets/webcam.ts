/** How a camera gives its pictures. RTSP, which no browser plays, goes through a media gateway. */
export const WEBCAM_KINDS = ['hls', 'mjpeg', 'rtsp', 'whep'] as const;
export type WebcamKind = (typeof WEBCAM_KINDS)[number];

/** What a console plays. */
export type WebcamPlay = Exclude<WebcamKind, 'rtsp'>;

/** Why there is no picture; each has its sentence, `errors.webcam.<fault>`. */
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

/** Why a picture was taken. */
export const SNAPSHOT_CAUSES = ['alarm', 'person', 'schedule'] as const;
export type SnapshotCause = (typeof SNAPSHOT_CAUSES)[number];

/** Minutes from one picture of the schedule to the next. */
export const SNAPSHOT_MINUTES = [5, 15, 30, 60, 240, 1440] as const;

const SCHEMES: Record<WebcamKind, readonly string[]> = {
  hls: ['http:', 'https:'],
  mjpeg: ['http:', 'https:'],
  rtsp: ['rtsp:', 'rtsps:'],
  whep: ['http:', 'https:'],
};

/** WHEP gives pictures to a browser only: the server has none of its own to keep. */
export function givesSnapshots(kind: WebcamKind): boolean {
  return kind !== 'whep';
}

/** What a console plays of a camera; null for RTSP where no gateway is configured. */
export function playOf(kind: WebcamKind, hasGateway: boolean): WebcamPlay | null {
  if (kind !== 'rtsp') return kind;
  return hasGateway ? 'hls' : null;
}

/** Under which name the media gateway serves a camera. */
export function gatewayPath(webcamId: number): string {
  return `webcam-${webcamId}`;
}

function parsed(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}

/** An address without user and password, which belong to an account. */
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
 * Whether a camera's address belongs to the account's: a password goes nowhere but where its account says. Over HTTP
 * that is scheme, host and port; RTSP has a port of its own.
 */
export function isOfAccount(address: string, accountUrl: string): boolean {
  const [camera, account] = [parsed(address), parsed(accountUrl)];
  if (camera === null || account === null) return false;
  return SCHEMES.rtsp.includes(camera.protocol)
    ? camera.hostname.toLowerCase() === account.hostname
    : camera.origin === account.origin;
}
