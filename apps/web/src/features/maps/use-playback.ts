import { useCallback, useEffect, useRef, useState } from 'react';

/** Texts, list and chart follow the playhead at this interval, since to draw them takes longer than a frame. */
const SHOWN_EVERY_MS = 100;

/** Called with the time of each frame while a track is played. */
export type OnFrame = (moment: number) => void;

export interface Playback {
  /** The time that texts and chart show; null before anything was played or pointed at. */
  playhead: number | null;
  /** Subscribes to the time of each frame; returns the function that ends it. */
  subscribe(onFrame: OnFrame): () => void;
  isPlaying: boolean;
  play(): void;
  pause(): void;
  seek(moment: number): void;
}

/**
 * Plays a track: the time advances from one position to the next, so that a stop of hours with few positions takes no longer
 * than its positions. `skip` are spans that are left out.
 */
export function usePlayback(
  times: readonly number[],
  perSecond: number,
  skip: readonly { from: number; to: number }[],
): Playback {
  const [playhead, setPlayhead] = useState<number | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const latest = useRef(playhead);
  const listeners = useRef(new Set<OnFrame>());
  const subscribe = useCallback((onFrame: OnFrame) => {
    listeners.current.add(onFrame);
    return () => void listeners.current.delete(onFrame);
  }, []);

  useEffect(() => {
    if (!isPlaying || times.length < 2) return;
    let place = placeOf(times, latest.current ?? (times[0] as number));
    let before = performance.now();
    let shownAt = 0;
    const show = (moment: number, now: number) => {
      latest.current = moment;
      for (const onFrame of listeners.current) onFrame(moment);
      if (now - shownAt < SHOWN_EVERY_MS) return;
      shownAt = now;
      setPlayhead(moment);
    };
    let frame = requestAnimationFrame(function step(now) {
      place += ((now - before) / 1000) * perSecond;
      before = now;
      const moment = momentAt(times, place);
      const skipped = skip.find(({ from, to }) => moment > from && moment < to);
      if (skipped) place = placeOf(times, skipped.to);
      show(skipped ? skipped.to : moment, now);
      if (place >= times.length - 1) return setPlaying(false);
      frame = requestAnimationFrame(step);
    });
    return () => {
      cancelAnimationFrame(frame);
      setPlayhead(latest.current);
    };
  }, [isPlaying, times, perSecond, skip]);

  const jumpTo = (moment: number | null) => {
    latest.current = moment;
    setPlayhead(moment);
  };

  return {
    playhead,
    subscribe,
    isPlaying: isPlaying && times.length > 1,
    play() {
      // At the end, it begins again.
      if (playhead === null || playhead >= (times.at(-1) ?? 0)) jumpTo(times[0] ?? null);
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    seek(moment) {
      setPlaying(false);
      jumpTo(moment);
    },
  };
}

/** Place of a time among the times, with a fraction between two of them. */
export function placeOf(times: readonly number[], moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return 0;
  const [before, after] = [times[low - 1] as number, times[low]];
  return after === undefined ? low - 1 : low - 1 + (moment - before) / (after - before);
}

/** The time at a place; the inverse of `placeOf`. */
export function momentAt(times: readonly number[], place: number): number {
  const inside = Math.max(0, place);
  const index = Math.min(Math.floor(inside), times.length - 1);
  const [before, after] = [times[index] as number, times[index + 1]];
  return after === undefined ? before : before + (after - before) * Math.min(1, inside - index);
}
