import { readWebcamStream } from '@isotherm/contracts/webcams';
import { signedLoader } from './hls-loader.ts';
import { sentenceOf } from './play.ts';
import type { Play } from './video-player.tsx';

/** Plays HLS with hls.js, which is loaded when the first camera needs it. */
export const playHls: Play = async (id, { video, signal, words, onFault }) => {
  const { default: Player, LoadStats } = await import('hls.js');
  if (signal.aborted) return;
  // Safari before iOS 17.1 has no Media Source Extensions. It could only play unsigned addresses, which the
  // server refuses.
  if (!Player.isSupported()) throw new Error(words.unplayable);
  const player = new Player({
    loader: signedLoader(id, () => new LoadStats()) as never,
    enableWorker: false,
    lowLatencyMode: false,
  });
  signal.addEventListener('abort', () => player.destroy());
  player.on(Player.Events.ERROR, (_event, { fatal, response, error }) => {
    if (fatal) onFault(response?.text || sentenceOf(error, words.unplayable));
  });
  player.attachMedia(video);
  player.loadSource(new URL(`/api${readWebcamStream.path.replace(':id', String(id))}`, location.href).href);
};
