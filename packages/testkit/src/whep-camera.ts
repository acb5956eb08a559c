import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MediaStreamTrack, RTCPeerConnection, useVP8 } from 'werift';
import { type Program, startProgram } from './processes.ts';

const LOOPBACK = '127.0.0.1';
const SDP_TYPE = 'application/sdp';

/**
 * Returns whether this ffmpeg can encode VP8 and VP9, which all browsers play. Not all builds include
 * libvpx.
 */
export function encodesVpx(ffmpeg: string): boolean {
  const { stdout } = spawnSync(ffmpeg, ['-hide_banner', '-encoders'], { encoding: 'utf8' });
  return / libvpx /.test(stdout) && / libvpx-vp9 /.test(stdout);
}

export interface WhepCamera {
  /** Address of its WHEP endpoint, `http://127.0.0.1:<port>/whep`. */
  url: string;
  /** Received requests such as `POST /whep`, in order. */
  asked: readonly string[];
  /** Returns the addresses of the open sessions. */
  sessions(): string[];
  stop(): Promise<void>;
}

/**
 * Starts a test camera with WHEP (draft-ietf-wish-whep) on loopback. It responds to an offer with 201,
 * `Location` and an SDP answer. Once ICE has found the viewer, the viewer gets ffmpeg's video as VP8. DELETE
 * ends the session. `source` are ffmpeg's input options.
 */
export async function startWhepCamera(ffmpeg: string, source: readonly string[]): Promise<WhepCamera> {
  const asked: string[] = [];
  const sessions = new Map<string, Session>();
  let count = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    asked.push(`${method} ${url}`);
    const session = sessions.get(url);
    if (url === '/whep' && method === 'POST') {
      if (request.headers['content-type'] !== SDP_TYPE) return end(response, 415);
      const begun = await beginSession(await textOf(request), (port) => startPicture(ffmpeg, source, port));
      const location = `/whep/${++count}`;
      sessions.set(location, begun);
      response.writeHead(201, { 'content-type': SDP_TYPE, location }).end(begun.answer);
    } else if (session && method === 'DELETE') {
      sessions.delete(url);
      await session.end();
      end(response, 200);
    } else if (url === '/whep' && method === 'OPTIONS') end(response, 204, { 'accept-post': SDP_TYPE });
    else end(response, session || url === '/whep' ? 405 : 404);
  }

  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => end(response, 400));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/whep`,
    asked,
    sessions: () => [...sessions.keys()],
    async stop() {
      await Promise.all([...sessions.values()].map((session) => session.end()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Session {
  answer: string;
  end(): Promise<void>;
}

async function beginSession(offer: string, send: (port: number) => Program): Promise<Session> {
  // With ICE lite, the connection uses only its given address (RFC 8445, 2.5).
  const peer = new RTCPeerConnection({
    iceLite: true,
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: [LOOPBACK],
    iceInterfaceAddresses: { udp4: LOOPBACK },
    codecs: { video: [useVP8()] },
  });
  const track = new MediaStreamTrack({ kind: 'video' });
  const packets = createSocket('udp4', (packet) => track.writeRtp(packet));
  await new Promise<void>((resolve) => packets.bind(0, LOOPBACK, resolve));
  let picture: Program | null = null;
  peer.connectionStateChange.subscribe((state) => {
    if (state === 'connected') picture ??= send(packets.address().port);
  });
  peer.addTransceiver(track, { direction: 'sendonly' });
  await peer.setRemoteDescription({ type: 'offer', sdp: offer });
  await peer.setLocalDescription(await peer.createAnswer());
  return {
    answer: peer.localDescription?.sdp ?? '',
    async end() {
      await picture?.stop();
      await peer.close();
      packets.close();
    },
  };
}

function startPicture(ffmpeg: string, source: readonly string[], port: number): Program {
  return startProgram({
    command: ffmpeg,
    args: [
      ...source,
      '-c:v',
      'libvpx',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-threads',
      '1',
      '-g',
      '15',
      // The packet size is smaller than a network packet, including the SRTP header.
      '-b:v',
      '400k',
      '-f',
      'rtp',
      `rtp://${LOOPBACK}:${port}?pkt_size=1200`,
    ],
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function end(response: ServerResponse, status: number, headers: http.OutgoingHttpHeaders = {}): void {
  response.writeHead(status, headers).end();
}
