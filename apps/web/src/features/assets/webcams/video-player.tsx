import { useEffect, useRef } from 'react';
import { type Playing, sentenceOf } from './play.ts';

/** Where a video plays, and for how long. */
export interface Stage {
  video: HTMLVideoElement;
  /** The end of the play: what was opened is closed then. */
  signal: AbortSignal;
  words: { unplayable: string; unreachable: string };
  onFault: Playing['onFault'];
}

/** Plays the camera of an id until the end; what it throws is its fault. */
export type Play = (id: number, stage: Stage) => Promise<void>;

/** A camera as video, whichever way it comes. */
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
    // Nothing is unmounted where the whole page goes.
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
