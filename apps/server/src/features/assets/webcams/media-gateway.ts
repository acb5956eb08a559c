import { gatewayPath } from '@isotherm/domain/assets/webcam';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import { CameraError } from './camera-error.ts';

export interface GatewaySettings {
  /** Where it serves HLS, as `http://gateway:8888`; null: there is none. */
  url: string | null;
  /** Its control interface, as `http://gateway:9997`; null: its paths are configured by hand. */
  apiUrl: string | null;
}

export interface MediaGateway {
  /** The playlist of a camera. Throws `no_gateway`. */
  playlistOf(webcamId: number): URL;
  /** Tells the gateway where the camera is, where it is to be told and was not: `again` where it forgot. */
  introduce(webcamId: number, source: URL, again: boolean): Promise<void>;
}

/** RTSP becomes HLS in a media gateway, in the manner of MediaMTX (control interface v3). */
export function createMediaGateway(outgoing: Outgoing, { url, apiUrl }: GatewaySettings): MediaGateway {
  const told = new Map<number, string>();
  return {
    playlistOf(webcamId) {
      if (url === null) throw new CameraError('no_gateway');
      return new URL(`${gatewayPath(webcamId)}/index.m3u8`, `${url.replace(/\/$/, '')}/`);
    },
    async introduce(webcamId, source, again) {
      if (apiUrl === null || (told.get(webcamId) === source.href && !again)) return;
      // The gateway would call whoever it is told to.
      await outgoing.check(source.hostname);
      const answer = await outgoing.ask({
        url: new URL(`v3/config/paths/replace/${gatewayPath(webcamId)}`, `${apiUrl.replace(/\/$/, '')}/`),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ source: source.href, sourceOnDemand: true }),
        trusted: true,
      });
      await readWhole(answer, { maxBytes: 10_000, withinMs: 5_000 });
      if (answer.status !== 200) throw new CameraError('no_gateway');
      told.set(webcamId, source.href);
    },
  };
}
