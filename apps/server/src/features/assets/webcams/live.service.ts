import { AppError } from '@isotherm/contracts/errors';
import type { Download, ResponseOf } from '@isotherm/contracts/route';
import type {
  beginWebcamSession,
  IceServer,
  offerToWebcam,
  readWebcamStream,
} from '@isotherm/contracts/webcams';
import type { WebcamFault } from '@isotherm/domain/assets/webcam';
import { type PlaylistRole, rewritePlaylist } from '@isotherm/protocol/video/hls-playlist';
import type { z } from 'zod';
import { abortAfter } from '../../../platform/abort-after.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { onePiece } from '../../../platform/http/one-piece.ts';
import { untilRead } from '../../../platform/http/until-read.ts';
import { readBounded, refuseLarger } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { LimitCalls } from './call-limits.ts';
import { CameraError, faultOf } from './camera-error.ts';
import { type Cameras, MAX_SEGMENT_BYTES, type Playlist, SEGMENT_WITHIN_MS, type Source } from './cameras.ts';
import { createPlaces } from './places.ts';

/**
 * A stream ends after this time and the console requests a new one, so that a user who lost access sees
 * nothing more.
 */
const FRAMES_FOR_MS = 240_000;
/**
 * Limits of parallel requests per user, per enterprise and in total: a player requests playlist,
 * initialisation and some segments at once.
 */
const PARTS = { each: 8, ofEnterprise: 64, inAll: 128 };
/**
 * Limits of parallel streams per user, per enterprise and in total: each occupies a connection to a camera.
 */
const STREAMS = { each: 4, ofEnterprise: 32, inAll: 64 };
/** Maximum number of addresses in a playlist; usual playlists have some dozens. */
const MAX_ADDRESSES = 5_000;
const MAX_PART_LETTERS = 2_000;
const PART = 'webcam-part';
const SESSION = 'webcam-session';
const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl';
/** Proxies do not compress these content types, so pictures are not buffered. */
const SEGMENT_TYPE = 'video/x-segment';
const FRAMES_TYPE = 'video/x-frames';

export interface LiveService {
  stream(caller: Caller, id: number, query: z.output<(typeof readWebcamStream)['query']>): Promise<Download>;
  frames(caller: Caller, id: number): Promise<Download>;
  beginSession(caller: Caller, id: number): Promise<ResponseOf<typeof beginWebcamSession>>;
  offer(caller: Caller, id: number, sdp: string): Promise<ResponseOf<typeof offerToWebcam>>;
  endSession(caller: Caller, id: number, session: string): Promise<null>;
  /** Ends all streams. */
  stop(): void;
}

/**
 * Creates the live view through the server: browsers never see addresses or passwords of cameras, and
 * connect to no other host. All functions throw `webcam.missing`, `webcam.<fault>` and `request.too_many`.
 */
export function createLiveService(
  cameras: Cameras,
  sealing: Pick<Sealing, 'openText' | 'sealText' | 'sealTextAlike'>,
  around: {
    /** Records how a camera responded. */
    answered(webcamId: number, fault: WebcamFault | null): Promise<void>;
    limit: LimitCalls;
    iceServers(webcamId: number): IceServer[];
  },
): LiveService {
  const parts = createPlaces(PARTS);
  const streams = createPlaces(STREAMS);
  const stopping = new AbortController();

  /**
   * Returns the sealed part for an address. The same address always gives the same part, so that a player
   * recognises a segment.
   */
  function partOf(id: number, url: URL, role: PlaylistRole): string {
    const part = sealing.sealTextAlike(PART, `${id} ${role} ${url.href}`);
    if (part.length > MAX_PART_LETTERS) throw new CameraError('too_large');
    return part;
  }

  function openPart(id: number, part: string): { role: PlaylistRole; url: URL } {
    const plain = sealing.openText(PART, part) ?? '';
    const [, camera, role, href] = /^(\d+) (media|playlist) (.*)$/.exec(plain) ?? [];
    // A part that was issued for one camera is not valid for another.
    if (Number(camera) !== id || href === undefined) throw new AppError('webcam.not_found');
    return { role: role as PlaylistRole, url: new URL(href) };
  }

  function rewritten(id: number, { url, text }: Playlist): Download {
    let addresses = 0;
    const changed = rewritePlaylist(text, (uri, role) => {
      if (++addresses > MAX_ADDRESSES) throw new CameraError('too_large');
      return `?part=${partOf(id, cameras.within(url, uri), role)}`;
    });
    return { fileName: 'index.m3u8', mediaType: PLAYLIST_TYPE, body: onePiece(Buffer.from(changed)) };
  }

  /** Runs the first request to a camera, whose result decides the recorded state of the camera. */
  async function first<T>({ id }: Source, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      await around.answered(id, null);
      return answer;
    } catch (error) {
      const fault = faultOf(error);
      // An abort by the server is not a fault of the camera.
      if (fault !== null && !stopping.signal.aborted) await around.answered(id, fault);
      throw error;
    }
  }

  async function whepSource(caller: Caller, id: number): Promise<Source> {
    const source = await cameras.sourceOf(caller.scope, id);
    if (source.kind !== 'whep') throw new AppError('webcam.not_a_stream');
    return source;
  }

  return {
    stream: (caller, id, { part, from, to }) =>
      telling(async () => {
        const source = await cameras.sourceOf(caller.scope, id);
        const release = parts.enter(caller);
        let isUnderWay = false;
        try {
          if (source.kind === 'mjpeg' || source.kind === 'whep') throw new AppError('webcam.not_a_stream');
          if (part === undefined)
            return await first(source, async () => rewritten(id, await cameras.playlist(source)));
          const { role, url } = openPart(id, part);
          if (role === 'playlist') return rewritten(id, await cameras.playlistAt(source, url));
          const range = from === undefined ? undefined : `bytes=${from}-${to ?? ''}`;
          const answer = await cameras.mediaAt(source, url, stopping.signal, range);
          try {
            refuseLarger(answer.headers, MAX_SEGMENT_BYTES);
          } catch (error) {
            answer.body.destroy();
            throw error;
          }
          const limits = { maxBytes: MAX_SEGMENT_BYTES, withinMs: SEGMENT_WITHIN_MS };
          isUnderWay = true;
          // If a reader stalls, its slot is released when the connection to the camera closes.
          answer.body.once('close', release);
          return {
            fileName: 'segment',
            mediaType: SEGMENT_TYPE,
            body: untilRead(readBounded(answer, limits), () => {
              release();
              answer.body.destroy();
            }),
          };
        } finally {
          if (!isUnderWay) release();
        }
      }),
    frames: (caller, id) =>
      telling(async () => {
        const source = await cameras.sourceOf(caller.scope, id);
        if (source.kind !== 'mjpeg') throw new AppError('webcam.not_a_stream');
        const release = streams.enter(caller);
        const looking = new AbortController();
        const signal = abortAfter(FRAMES_FOR_MS, looking.signal, stopping.signal);
        const leave = () => {
          looking.abort();
          release();
        };
        // This also releases the slot when the reader disconnects.
        signal.addEventListener('abort', release, { once: true });
        try {
          const pictures = cameras.frames(source, signal);
          // A fault of the camera is reported before the first byte is sent.
          const begin = await first(source, () => pictures.next());
          if (begin.done) throw new AppError('webcam.unreachable');
          return {
            fileName: 'frames',
            mediaType: FRAMES_TYPE,
            body: untilRead(framed(begin.value, pictures), leave),
          };
        } catch (error) {
          leave();
          throw error;
        }
      }),
    async beginSession(caller, id) {
      await whepSource(caller, id);
      return { iceServers: around.iceServers(id) };
    },
    offer: (caller, id, sdp) =>
      telling(async () => {
        const source = await whepSource(caller, id);
        await around.limit(caller, 'session');
        const answer = await first(source, () => cameras.offer(source, sdp));
        const plain = answer.session && `${id} ${answer.session.href}`;
        return { sdp: answer.sdp, session: plain && sealing.sealText(SESSION, plain) };
      }),
    endSession: (caller, id, session) =>
      telling(async () => {
        const source = await cameras.sourceOf(caller.scope, id);
        const plain = sealing.openText(SESSION, session) ?? '';
        const [camera, href] = plain.split(' ');
        if (Number(camera) !== id || href === undefined) throw new AppError('webcam.not_found');
        await around.limit(caller, 'session-end');
        await cameras.endSession(source, new URL(href));
        return null;
      }),
    stop: () => stopping.abort(),
  };
}

/** Translates a camera fault into an API error. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = faultOf(error);
    throw fault === null ? error : new AppError(`webcam.${fault}`, {}, { cause: error });
  }
}

/** Yields each picture, prefixed with its length. The stream ends when the camera stops. */
async function* framed(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const withLength = (frame: Uint8Array) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(frame.length);
    return Buffer.concat([head, frame]);
  };
  try {
    yield withLength(first);
    for await (const frame of rest) yield withLength(frame);
  } catch (error) {
    if (faultOf(error) === null) throw error;
  } finally {
    await rest.return(undefined);
  }
}
