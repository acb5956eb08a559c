import { useEffect, useRef } from 'react';
import { type Playing, sentenceOf } from './play.ts';

/** The video element, and the signal that ends the playback. */
export interface Stage {
  video: HTMLVideoElement;
  /** Aborted when the playback ends, so that the player closes its connections. */
  signal: AbortSignal;
  words: { unplayable: string; unreachable: string };
  onFault: Playing['onFault'];
}

/** Plays a camera until the end; throws if it fails. */
export type Play = (id: number, stage: Stage) => Promise<void>;

/** Plays a camera as video, with any protocol. */
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
    // When the page is closed, React does not unmount components; this event ends the playback instead.
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
