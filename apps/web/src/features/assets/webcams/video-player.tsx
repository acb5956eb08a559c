import { useEffect, useRef } from 'react';
import { type Playing, sentenceOf } from './play.ts';

/** The video element, and the lifetime of the playback. */
export interface Stage {
  video: HTMLVideoElement;
  /** Aborted at the end, to close what was opened. */
  signal: AbortSignal;
  words: { unplayable: string; unreachable: string };
  onFault: Playing['onFault'];
}

/** Plays a camera until the end; throws its fault. */
export type Play = (id: number, stage: Stage) => Promise<void>;

/** A camera as video, whatever its protocol. */
export function VideoPlayer({
  id,
  play,
  label,
  unplayable,
  unreachable,
  onPicture,
  onFault,
}: Playing & { id: number; play: Play; label: string } & Stage['words']) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const end = () => ending.abort();
    const fault = (sentence: string) => {
      if (!signal.aborted) onFault(sentence);
    };
    const video = element.current as HTMLVideoElement;
    play(id, { video, signal, words: { unplayable, unreachable }, onFault: fault }).catch((error) =>
      fault(sentenceOf(error, unplayable)),
    );
    // Closing the page unmounts no components.
    window.addEventListener('pagehide', end, { signal });
    return end;
  }, [id, play, unplayable, unreachable, onFault]);
  return (
    <video
      ref={element}
      className="webcam-picture"
      aria-label={label}
      autoPlay
      muted
      playsInline
      onPlaying={onPicture}
    />
  );
}
