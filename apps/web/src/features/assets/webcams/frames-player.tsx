import { readWebcamFrames } from '@isotherm/contracts/webcams';
import { useEffect, useRef } from 'react';
import { callForStream } from '../../../shared/api/client.ts';
import { framesOf } from './frames.ts';
import { type Playing, sentenceOf } from './play.ts';

/** Player for Motion JPEG from the server. It draws one image after the other. */
export function FramesPlayer({
  id,
  label,
  ended,
  onPicture,
  onFault,
}: Playing & { id: number; label: string; ended: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    async function draw(frame: Blob): Promise<void> {
      const picture = await createImageBitmap(frame);
      const target = canvas.current;
      if (target && !signal.aborted) {
        if (target.width !== picture.width) target.width = picture.width;
        if (target.height !== picture.height) target.height = picture.height;
        target.getContext('2d')?.drawImage(picture, 0, 0);
        onPicture();
      }
      picture.close();
    }
    /**
     * Plays streams in a loop: the server ends each stream after some minutes, and the next one starts at
     * once unless the last one was empty.
     */
    async function play(): Promise<void> {
      for (let drawn = 1; drawn > 0; ) {
        drawn = 0;
        const stream = await callForStream(readWebcamFrames, { params: { id }, signal, quiet: true });
        for await (const frame of framesOf(stream)) {
          await draw(frame);
          drawn++;
        }
      }
      throw new Error(ended);
    }
    play().catch((error) => {
      if (!signal.aborted) onFault(sentenceOf(error, ended));
    });
    return () => controller.abort();
  }, [id, ended, onPicture, onFault]);
  return <canvas ref={canvas} className="webcam-picture" role="img" aria-label={label} />;
}
