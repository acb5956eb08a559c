import { readWebcamStream } from '@isotherm/contracts/webcams';
import type Hls from 'hls.js';
import { useEffect, useRef } from 'react';
import { signedLoader } from './hls-loader.ts';
import { type Playing, sentenceOf } from './play.ts';

/** HLS by hls.js, which comes with the first camera that needs it. */
export function HlsPlayer({
  id,
  label,
  unplayable,
  onPicture,
  onFault,
}: Playing & { id: number; label: string; unplayable: string }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    let player: Hls | null = null;
    let over = false;
    async function play(): Promise<void> {
      const { default: Player, LoadStats } = await import('hls.js');
      if (over || !video.current) return;
      // Safari of before iOS 17.1 plays only addresses that need no signature.
      if (!Player.isSupported()) throw new Error(unplayable);
      player = new Player({
        loader: signedLoader(id, () => new LoadStats()) as never,
        enableWorker: false,
        lowLatencyMode: false,
      });
      player.on(Player.Events.ERROR, (_event, { fatal, response, error }) => {
        if (fatal) onFault(response?.text || sentenceOf(error, unplayable));
      });
      player.attachMedia(video.current);
      player.loadSource(
        new URL(`/api${readWebcamStream.path.replace(':id', String(id))}`, location.href).href,
      );
    }
    play().catch((error) => onFault(sentenceOf(error, unplayable)));
    return () => {
      over = true;
      player?.destroy();
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
