import { endWebcamSession, offerToWebcam } from '@isotherm/contracts/webcams';
import { useEffect, useRef } from 'react';
import { call } from '../../../shared/api/client.ts';
import { type Playing, sentenceOf } from './play.ts';

/** How long a browser looks for its own addresses before it offers those that it has. */
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

/** WHEP (RFC 9725): the server hands offer and answer on, the pictures come straight from the camera. */
export function WhepPlayer({
  id,
  label,
  unplayable,
  onPicture,
  onFault,
}: Playing & { id: number; label: string; unplayable: string }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (typeof RTCPeerConnection === 'undefined') {
      onFault(unplayable);
      return;
    }
    const peer = new RTCPeerConnection();
    const end = (session: string | null) => {
      if (session)
        call(endWebcamSession, { params: { id }, body: { session }, quiet: true }).catch(() => undefined);
    };
    let running: string | null = null;
    async function play(): Promise<void> {
      peer.addTransceiver('video', { direction: 'recvonly' });
      peer.addEventListener('track', ({ streams: [stream] }) => {
        if (video.current && stream) video.current.srcObject = stream;
      });
      peer.addEventListener('connectionstatechange', () => {
        if (peer.connectionState === 'failed') onFault(unplayable);
      });
      await peer.setLocalDescription(await peer.createOffer());
      await gathered(peer);
      const sdp = peer.localDescription?.sdp;
      if (signal.aborted || !sdp) return;
      const answer = await call(offerToWebcam, { params: { id }, body: { sdp }, quiet: true });
      if (signal.aborted) return end(answer.session);
      running = answer.session;
      await peer.setRemoteDescription({ type: 'answer', sdp: answer.sdp });
    }
    play().catch((error) => {
      if (!signal.aborted) onFault(sentenceOf(error, unplayable));
    });
    return () => {
      controller.abort();
      peer.close();
      end(running);
    };
  }, [id, unplayable, onFault]);
  return (
    <video
      ref={video}
      className="webcam-picture"
      aria-label={label}
      autoPlay
      muted
      playsInline
      onPlaying={onPicture}
    />
  );
}
