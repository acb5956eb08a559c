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
import type { Caller } from '../../../platform/http/caller.ts';
import { untilRead } from '../../../platform/http/until-read.ts';
import { readBounded, refuseLarger } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { LimitCalls } from './call-limits.ts';
import { CameraError, faultOf } from './camera-error.ts';
import { type Cameras, MAX_SEGMENT_BYTES, type Playlist, SEGMENT_WITHIN_MS, type Source } from './cameras.ts';
import { createPlaces } from './places.ts';

/** A console asks anew when it is over: whoever may look no longer sees no more. */
const FRAMES_FOR_MS = 240_000;
/** A player asks for playlist, initialisation and some segments at once. */
const PARTS = { each: 8, ofEnterprise: 64, inAll: 128 };
/** Each is a line from a camera through the server, all the time. */
const STREAMS = { each: 4, ofEnterprise: 32, inAll: 64 };
/** A camera names some tens; an answer without end is none. */
const MAX_ADDRESSES = 5_000;
const MAX_PART_LETTERS = 2_000;
const PART = 'webcam-part';
const SESSION = 'webcam-session';
const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl';
/** Neither is pressed on the way, as an octet stream would be: a picture is not held back until more has come. */
const SEGMENT_TYPE = 'video/x-segment';
const FRAMES_TYPE = 'video/x-frames';

export interface LiveService {
  stream(caller: Caller, id: number, query: z.output<(typeof readWebcamStream)['query']>): Promise<Download>;
  frames(caller: Caller, id: number): Promise<Download>;
  beginSession(caller: Caller, id: number): Promise<ResponseOf<typeof beginWebcamSession>>;
  offer(caller: Caller, id: number, sdp: string): Promise<ResponseOf<typeof offerToWebcam>>;
  endSession(caller: Caller, id: number, session: string): Promise<null>;
  /** Ends what is shown. */
  stop(): void;
}

/**
 * Cameras through the server: neither their addresses nor their passwords reach a browser, and a browser calls nobody
 * else. All throw `webcam.missing`, `webcam.<fault>` and `request.too_many`.
 */
export function createLiveService(
  cameras: Cameras,
  sealing: Pick<Sealing, 'openText' | 'sealText' | 'sealTextAlike'>,
  around: {
    /** How a camera answered whoever looks. */
    answered(webcamId: number, fault: WebcamFault | null): Promise<void>;
    limit: LimitCalls;
    iceServers(webcamId: number): IceServer[];
  },
): LiveService {
  const parts = createPlaces(PARTS);
  const streams = createPlaces(STREAMS);
  const stopping = new AbortController();

  /** Kept alike, so that a player knows a segment of the last playlist again. */
  function partOf(id: number, url: URL, role: PlaylistRole): string {
    const part = sealing.sealTextAlike(PART, `${id} ${role} ${url.href}`);
    if (part.length > MAX_PART_LETTERS) throw new CameraError('too_large');
    return part;
  }

  function openPart(id: number, part: string): { role: PlaylistRole; url: URL } {
    const plain = sealing.openText(PART, part) ?? '';
    const [, camera, role, href] = /^(\d+) (media|playlist) (.*)$/.exec(plain) ?? [];
    // What was sealed for one camera opens nothing of another.
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

  /** What a look begins with: whether it comes is how the camera stands. */
  async function first<T>({ id }: Source, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      await around.answered(id, null);
      return answer;
    } catch (error) {
      const fault = faultOf(error);
      // What was ended with the server says nothing of the camera.
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
          // Whoever does not go on reading holds no place for longer than the line to the camera.
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
        const signal = AbortSignal.any([looking.signal, stopping.signal, AbortSignal.timeout(FRAMES_FOR_MS)]);
        const leave = () => {
          looking.abort();
          release();
        };
        // Also where nobody goes on reading.
        signal.addEventListener('abort', release, { once: true });
        try {
          const pictures = cameras.frames(source, signal);
          // What is wrong with the camera is said before anything is sent.
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

/** A camera's fault becomes the answer that says so. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = faultOf(error);
    throw fault === null ? error : new AppError(`webcam.${fault}`, {}, { cause: error });
  }
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Each picture after its length. A camera that stops ends the stream: what was sent stands. */
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
