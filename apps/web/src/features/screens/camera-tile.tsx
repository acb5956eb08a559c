import type { ScreenView } from '@isotherm/contracts/screens';
import { createContext, useContext, useEffect, useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useObjectUrl } from '../../shared/ui/use-object-url.ts';

/** Reads a picture of a camera: by the screen's public link, or as somebody who is logged in. */
export type ReadPicture = (pictureId: number, signal: AbortSignal) => Promise<Blob>;

export const PictureReader = createContext<ReadPicture | null>(null);

type Camera = ScreenView['cameras'][number];

/** The newest picture of a webcam, with its name and time. A picture stays until the next one is loaded. */
export function CameraTile({ webcamId, cameras }: { webcamId: number | null; cameras: readonly Camera[] }) {
  const { text, time } = useViewer();
  const camera = cameras.find((each) => each.webcamId === webcamId);
  const pictureId = camera?.picture?.id ?? null;
  const url = useObjectUrl(usePicture(pictureId));
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
      {url ? <img src={url} alt={camera.name} /> : null}
      <figcaption>
        <span className="ellipsis strong">{camera.name}</span>
        <span className="number">{time(camera.picture.takenAt, 'day-time')}</span>
      </figcaption>
    </figure>
  );
}

function usePicture(id: number | null): Blob | null {
  const read = useContext(PictureReader);
  const [picture, setPicture] = useState<Blob | null>(null);
  useEffect(() => {
    if (id === null || read === null) return;
    const stopping = new AbortController();
    // Without a connection the last picture stays; its time says how old it is.
    read(id, stopping.signal).then(setPicture, () => undefined);
    return () => stopping.abort();
  }, [id, read]);
  return picture;
}
