import type { ScreenView } from '@isotherm/contracts/screens';
import { createContext, useContext, useEffect, useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useObjectUrl } from '../../shared/ui/use-object-url.ts';

/** Reads a picture of a camera: by the screen's public link, or as somebody who is logged in. */
export type ReadPicture = (pictureId: number, signal: AbortSignal) => Promise<Blob>;

export const PictureReader = createContext<ReadPicture | null>(null);

type Picture = NonNullable<ScreenView['cameras'][number]['picture']>;

/** The newest picture of a webcam, with its name and time. A picture stays until the next one is loaded. */
export function CameraTile({ webcamId, view }: { webcamId: number | null; view: ScreenView }) {
  const { text, time } = useViewer();
  const camera = view.cameras.find((each) => each.webcamId === webcamId);
  const shown = useNewest(camera?.picture ?? null, view.serverTime);
  const url = useObjectUrl(shown?.blob);
  if (!camera?.picture)
    return (
      <p className="screen-none secondary">
        {text(
          camera
            ? 'webcams.no-picture'
            : webcamId === null
              ? 'screens.camera.choose'
              : 'screens.camera.missing',
        )}
      </p>
    );
  return (
    <figure className="screen-camera">
      {url ? <img src={url} alt={camera.name} /> : <div className="skeleton" />}
      <figcaption>
        <span className="ellipsis strong">{camera.name}</span>
        {shown ? <span className="number">{time(shown.takenAt, 'day-time')}</span> : null}
      </figcaption>
    </figure>
  );
}

/** The picture that was loaded last, with the time at which it was taken. A failed load is tried again with the next view. */
function useNewest(picture: Picture | null, viewAt: string): (Picture & { blob: Blob }) | null {
  const read = useContext(PictureReader);
  const [shown, setShown] = useState<(Picture & { blob: Blob }) | null>(null);
  const shownId = shown?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of the view has a failed load tried again.
  useEffect(() => {
    if (!picture || !read || picture.id === shownId) return;
    const stopping = new AbortController();
    read(picture.id, stopping.signal).then(
      (blob) => setShown({ ...picture, blob }),
      () => undefined,
    );
    return () => stopping.abort();
  }, [picture?.id, shownId, read, viewAt]);
  return shown;
}
