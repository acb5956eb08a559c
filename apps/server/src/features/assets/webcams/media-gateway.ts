import { isIPv6 } from 'node:net';
import { gatewayPath } from '@isotherm/domain/assets/webcam';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import { CameraError } from './camera-error.ts';

export interface GatewaySettings {
  /** HLS address of the gateway, such as `http://gateway:8888`; null if there is none. */
  url: string | null;
  /** URL of its control API, such as `http://gateway:9997`; null if its paths are configured manually. */
  apiUrl: string | null;
}

export interface MediaGateway {
  /** Returns the URL of a camera's playlist. Throws `no_gateway`. */
  playlistOf(webcamId: number): URL;
  /**
   * Registers the camera's address with the gateway unless that was already done; set `again` after the
   * gateway has lost the address.
   */
  introduce(webcamId: number, source: URL, again: boolean): Promise<void>;
}

/**
 * Creates the client of a media gateway that converts RTSP into HLS (compatible with the control API v3 of
 * MediaMTX).
 */
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
 * Replaces the host name by the resolved and checked IP address, so that a later DNS change has no effect.
 * RTSP over TLS keeps the name, since the certificate is issued for it.
 */
async function pinned(outgoing: Outgoing, source: URL): Promise<URL> {
  const address = await outgoing.addressOf(source.hostname);
  const url = new URL(source);
  if (url.protocol === 'rtsp:') url.hostname = isIPv6(address) ? `[${address}]` : address;
  return url;
}
