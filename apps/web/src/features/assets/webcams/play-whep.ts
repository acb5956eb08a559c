import { beginWebcamSession, endWebcamSession, offerToWebcam } from '@isotherm/contracts/webcams';
import { call } from '../../../shared/api/client.ts';
import type { Play } from './video-player.tsx';

/** Longest time that the browser gathers its ICE candidates before it sends its offer. */
const GATHERED_WITHIN_MS = 2_000;

function gathered(peer: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GATHERED_WITHIN_MS);
    const look = () => {
      if (peer.iceGatheringState !== 'complete') return;
      clearTimeout(timer);
      resolve();
    };
    peer.addEventListener('icegatheringstatechange', look);
    look();
  });
}

/** Plays WHEP (WebRTC): the server forwards offer and answer, the video comes directly from the camera. */
export const playWhep: Play = async (id, { video, signal, words, onFault }) => {
  if (typeof RTCPeerConnection === 'undefined') throw new Error(words.unplayable);
  const { iceServers } = await call(beginWebcamSession, { params: { id }, signal, quiet: true });
  const peer = new RTCPeerConnection({ iceServers });
  let session: string | null = null;
  /**
   * The session also ends when the page is closed; otherwise the camera would send for another half minute.
   */
  const end = () => {
    if (session === null) return;
    const given = { params: { id }, body: { session }, quiet: true, outlivesPage: true };
    call(endWebcamSession, given).catch(() => undefined);
  };
  signal.addEventListener('abort', () => {
    peer.close();
    video.srcObject = null;
    end();
  });
  peer.addTransceiver('video', { direction: 'recvonly' });
  peer.addEventListener('track', ({ track, streams: [stream] }) => {
    video.srcObject = stream ?? new MediaStream([track]);
  });
  peer.addEventListener('connectionstatechange', () => {
    if (peer.connectionState === 'failed') onFault(words.unreachable);
  });
  await peer.setLocalDescription(await peer.createOffer());
  await gathered(peer);
  const sdp = peer.localDescription?.sdp;
  if (signal.aborted || !sdp) return;
  // This request is not aborted with the player, because a session that the camera has started must be
  // ended.
  const answer = await call(offerToWebcam, { params: { id }, body: { sdp }, quiet: true });
  session = answer.session;
  if (signal.aborted) end();
  else await peer.setRemoteDescription({ type: 'answer', sdp: answer.sdp });
};
