import { AppError } from '@isotherm/contracts/errors';
import { isOfAccount, type WebcamFault, type WebcamKind } from '@isotherm/domain/assets/webcam';
import { isPlaylist, newestOf } from '@isotherm/protocol/video/hls-playlist';
import { MjpegReader, mjpegBoundary } from '@isotherm/protocol/video/mjpeg-reader';
import type pg from 'pg';
import { abortAfter } from '../../../platform/abort-after.ts';
import type { Login } from '../../../platform/outgoing/login-answer.ts';
import {
  type Outgoing,
  type OutgoingAnswer,
  type OutgoingRequest,
  readWhole,
} from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { PASSWORD_PURPOSE } from './accounts.service.ts';
import { CameraError, faultOf } from './camera-error.ts';
import { pictureOfVideo } from './ffmpeg.ts';
import { createMediaGateway, type GatewaySettings } from './media-gateway.ts';
import { findSource, type SourceRow } from './webcams.repo.ts';

const MAX_PLAYLIST_BYTES = 1_000_000;
const PLAYLIST_WITHIN_MS = 10_000;
/**
 * Maximum size of a video segment: ten seconds of 4K are about 20 MB, and a typical camera segment lasts two
 * seconds.
 */
export const MAX_SEGMENT_BYTES = 16_000_000;
export const SEGMENT_WITHIN_MS = 30_000;
const MAX_FRAME_BYTES = 4_000_000;
/** A camera that sends less than one picture in this time is treated as stopped. */
const FRAME_WITHIN_MS = 10_000;
/** Time limit for all requests of one snapshot together. */
const PICTURE_WITHIN_MS = 25_000;
const MAX_SDP_BYTES = 64_000;
/**
 * Maximum number of playlists: a master playlist refers to a media playlist, which refers to no other
 * playlist.
 */
const MAX_PLAYLISTS = 3;
const SDP_TYPE = 'application/sdp';

/** A camera and how to reach it. */
export interface Source {
  id: number;
  kind: WebcamKind;
  address: URL;
  login: Login | null;
}

export interface Playlist {
  /** The URL of the playlist; its entries are relative to it. */
  url: URL;
  text: string;
}

/** Access to cameras. All functions but `sourceOf` and `test` throw CameraError or OutgoingError. */
export interface Cameras {
  hasGateway: boolean;
  /** Throws `webcam.missing`. */
  sourceOf(scope: string, id: number): Promise<Source>;
  /** Reads the first playlist to play. */
  playlist(source: Source): Promise<Playlist>;
  playlistAt(source: Source, url: URL): Promise<Playlist>;
  /**
   * Resolves an address in a playlist. Only the same server is allowed; otherwise throws the fault
   * `elsewhere`.
   */
  within(base: URL, uri: string): URL;
  /** Opens media that a playlist refers to; the body is not read yet. */
  mediaAt(source: Source, url: URL, signal: AbortSignal, range?: string): Promise<OutgoingAnswer>;
  /**
   * Yields pictures as they arrive. If they arrive faster than they are read, only the newest one is yielded.
   */
  frames(source: Source, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  offer(source: Source, sdp: string): Promise<{ sdp: string; session: URL | null }>;
  endSession(source: Source, session: URL): Promise<void>;
  /** Takes one picture as JPEG. */
  picture(source: Source): Promise<Buffer>;
  /** Returns what is wrong with the camera, or null. */
  test(source: Source): Promise<WebcamFault | null>;
  /** Aborts snapshots and tests in progress, without recording a fault of their cameras. */
  stop(): void;
}

export interface CameraSettings extends GatewaySettings {
  /** Path of ffmpeg; null if it is not available. */
  ffmpeg: string | null;
}

export function createCameras(
  pool: pg.Pool,
  sealing: Pick<Sealing, 'open'>,
  outgoing: Outgoing,
  settings: CameraSettings,
): Cameras {
  const gateway = createMediaGateway(outgoing, settings);
  const stopping = new AbortController();

  /** Maps an HTTP error status to the camera fault that it means. */
  async function ask(
    source: Source,
    request: Omit<OutgoingRequest, 'login' | 'trusted'>,
  ): Promise<OutgoingAnswer> {
    const viaGateway = source.kind === 'rtsp';
    const answer = await outgoing.ask({
      ...request,
      login: viaGateway ? null : source.login,
      trusted: viaGateway,
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    answer.body.destroy();
    if (answer.status === 401 || answer.status === 403) throw new CameraError('unauthorized');
    throw new CameraError(answer.status === 404 || answer.status === 410 ? 'not_found' : 'answer');
  }

  /**
   * Rejects addresses that were issued while the camera had another address or kind: otherwise such an
   * address would receive the current password, or be trusted like the gateway.
   */
  function ofNow(source: Source, url: URL): URL {
    return within(source.kind === 'rtsp' ? gateway.playlistOf(source.id) : source.address, url.href);
  }

  async function playlistAt(source: Source, url: URL, signal?: AbortSignal): Promise<Playlist> {
    const answer = await ask(source, { url: ofNow(source, url), ...(signal ? { signal } : {}) });
    const text = (
      await readWhole(answer, { maxBytes: MAX_PLAYLIST_BYTES, withinMs: PLAYLIST_WITHIN_MS })
    ).toString('utf8');
    if (!isPlaylist(text)) throw new CameraError('not_a_stream');
    return { url: answer.url, text };
  }

  async function playlist(source: Source, signal?: AbortSignal): Promise<Playlist> {
    if (source.kind !== 'rtsp') return playlistAt(source, source.address, signal);
    const url = gateway.playlistOf(source.id);
    const camera = new URL(source.address);
    if (source.login) {
      camera.username = encodeURIComponent(source.login.user);
      camera.password = encodeURIComponent(source.login.password);
    }
    await gateway.introduce(source.id, camera, false);
    try {
      return await playlistAt(source, url, signal);
    } catch (error) {
      if (faultOf(error) !== 'not_found') throw error;
      // A gateway that was restarted has lost the paths of its cameras.
      await gateway.introduce(source.id, camera, true);
      return playlistAt(source, url, signal);
    }
  }

  function within(base: URL, uri: string): URL {
    const url = URL.canParse(uri, base.href) ? new URL(uri, base) : null;
    if (url?.origin !== base.origin) throw new CameraError('elsewhere');
    return url;
  }

  async function* frames(source: Source, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const answer = await ask(source, { url: source.address, signal });
    const { body, headers } = answer;
    try {
      const boundary = mjpegBoundary(headers['content-type'] ?? '');
      if (boundary === null) throw new CameraError('not_a_stream');
      const reader = new MjpegReader(boundary, MAX_FRAME_BYTES);
      let newest: Uint8Array | null = null;
      let end: Error | null = null;
      let wake = () => {};
      const over = (error: Error) => {
        end ??= error;
        wake();
      };
      const timer = setTimeout(() => over(new CameraError('timed_out')), FRAME_WITHIN_MS);
      body.on('data', (piece: Buffer) => {
        const frame = reader.push(piece).at(-1);
        if (!frame) return;
        newest = frame;
        timer.refresh();
        wake();
      });
      signal.addEventListener('abort', () => wake(), { once: true });
      body.once('end', () => over(new CameraError('unreachable')));
      body.once('error', (cause) => over(new CameraError('unreachable', { cause })));
      try {
        for (;;) {
          if (newest !== null) {
            const frame: Uint8Array = newest;
            newest = null;
            yield frame;
          } else if (end !== null || signal.aborted) {
            if (end !== null && !signal.aborted) throw end;
            return;
          } else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        clearTimeout(timer);
      }
    } finally {
      body.destroy();
    }
  }

  async function firstFrame(source: Source, signal: AbortSignal): Promise<Buffer> {
    for await (const frame of frames(source, signal)) return Buffer.from(frame);
    throw new CameraError('not_a_stream');
  }

  async function newestSegment(source: Source, signal: AbortSignal): Promise<Buffer> {
    let { url, text } = await playlist(source, signal);
    for (let i = 0; i < MAX_PLAYLISTS; i++) {
      const tip = newestOf(text);
      if (tip === null) throw new CameraError('no_picture');
      if (tip.role === 'media') {
        const pieces: Buffer[] = [];
        for (const uri of [tip.initUri, tip.uri])
          if (uri !== null) {
            const answer = await ask(source, { url: within(url, uri), signal });
            pieces.push(
              await readWhole(answer, { maxBytes: MAX_SEGMENT_BYTES, withinMs: SEGMENT_WITHIN_MS }),
            );
          }
        return Buffer.concat(pieces);
      }
      ({ url, text } = await playlistAt(source, within(url, tip.uri), signal));
    }
    throw new CameraError('no_picture');
  }

  async function reach(source: Source, signal: AbortSignal): Promise<void> {
    if (source.kind === 'mjpeg') await firstFrame(source, signal);
    else if (source.kind === 'whep') await knock(source, signal);
    else await playlist(source, signal);
  }

  /**
   * Tests a WHEP endpoint without a browser's offer: an OPTIONS request shows that the endpoint exists, and
   * whether it is open.
   */
  async function knock(source: Source, signal: AbortSignal): Promise<void> {
    const { address: url, login } = source;
    const answer = await outgoing.ask({ url, login, method: 'OPTIONS', signal });
    answer.body.destroy();
    if (answer.status === 401 || answer.status === 403) throw new CameraError('unauthorized');
    if (answer.status === 404) throw new CameraError('not_found');
    if (answer.status >= 500) throw new CameraError('answer');
  }

  /** Runs work within a hard time limit. */
  async function soon<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = abortAfter(PICTURE_WITHIN_MS, stopping.signal);
    try {
      return await work(signal);
    } catch (error) {
      if (stopping.signal.aborted) throw new AppError('service.unavailable', {}, { cause: error });
      if (signal.aborted) throw new CameraError('timed_out', { cause: error });
      throw error;
    }
  }

  return {
    hasGateway: settings.url !== null,
    stop: () => stopping.abort(),
    async sourceOf(scope, id) {
      const row = await findSource(pool, scope, id);
      if (!row) throw new AppError('webcam.missing');
      return { id: row.id, kind: row.kind, address: new URL(row.address), login: loginOf(row, sealing) };
    },
    playlist: (source) => playlist(source),
    playlistAt: (source, url) => playlistAt(source, url),
    within,
    mediaAt: async (source, url, signal, range) =>
      ask(source, { url: ofNow(source, url), signal, ...(range ? { headers: { range } } : {}) }),
    frames,
    async offer(source, sdp) {
      const answer = await ask(source, {
        url: source.address,
        method: 'POST',
        headers: { 'content-type': SDP_TYPE, accept: SDP_TYPE },
        body: sdp,
      });
      const body = await readWhole(answer, { maxBytes: MAX_SDP_BYTES, withinMs: PLAYLIST_WITHIN_MS });
      if (!(answer.headers['content-type'] ?? '').toLowerCase().startsWith(SDP_TYPE))
        throw new CameraError('not_a_stream');
      const { location } = answer.headers;
      return {
        sdp: body.toString('utf8'),
        session: location === undefined ? null : within(answer.url, location),
      };
    },
    async endSession(source, session) {
      const answer = await ask(source, { url: within(source.address, session.href), method: 'DELETE' });
      answer.body.destroy();
    },
    async picture(source) {
      if (source.kind === 'whep') throw new CameraError('no_snapshots');
      if (source.kind === 'mjpeg') return soon((signal) => firstFrame(source, signal));
      if (settings.ffmpeg === null) throw new CameraError('no_ffmpeg');
      return pictureOfVideo(settings.ffmpeg, await soon((signal) => newestSegment(source, signal)));
    },
    async test(source) {
      try {
        await soon((signal) => reach(source, signal));
        return null;
      } catch (error) {
        const fault = faultOf(error);
        if (fault === null) throw error;
        return fault;
      }
    },
  };
}

/**
 * Returns the login for a camera. A password is sent only to the address of its account, even if the address
 * of the camera or of the account has changed since.
 */
function loginOf(row: SourceRow, sealing: Pick<Sealing, 'open'>): Login | null {
  if (row.accountUrl === null || !isOfAccount(row.address, row.accountUrl)) return null;
  const password = row.sealedPassword ? sealing.open(PASSWORD_PURPOSE, row.sealedPassword) : null;
  return { user: row.username ?? '', password: password?.toString('utf8') ?? '' };
}
