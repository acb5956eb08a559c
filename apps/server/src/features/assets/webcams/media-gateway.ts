import { isIPv6 } from 'node:net';
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
      if (apiUrl === null) return;
      const { href } = await pinned(outgoing, source);
      if (told.get(webcamId) === href && !again) return;
      const answer = await outgoing.ask({
        url: new URL(`v3/config/paths/replace/${gatewayPath(webcamId)}`, `${apiUrl.replace(/\/$/, '')}/`),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ source: href, sourceOnDemand: true }),
        trusted: true,
      });
      await readWhole(answer, { maxBytes: 10_000, withinMs: 5_000 });
      if (answer.status !== 200) throw new CameraError('no_gateway');
      told.set(webcamId, href);
    },
  };
}

/**
 * The gateway calls whoever it is told to: it is told the address that was judged, so that a name which changes its mind
 * gains nothing. The certificate of RTSP over TLS is one of the name, which is judged and told as it is.
 */
async function pinned(outgoing: Outgoing, source: URL): Promise<URL> {
  const address = await outgoing.addressOf(source.hostname);
  const url = new URL(source);
  if (url.protocol === 'rtsp:') url.hostname = isIPv6(address) ? `[${address}]` : address;
  return url;
}
