import type { Trail } from '@isotherm/contracts/car-screens';
import { MAX_TOLERANCE_M, type MapMark } from '@isotherm/contracts/maps';
import { useEffect, useMemo, useState } from 'react';
import type { ShownMap } from '../../../shared/map/use-map.ts';
import { toleranceFor } from '../use-tracks.ts';
import { type TrailPiece, trailPieces } from './trail-lines.ts';
import type { TrailSource } from './trail-sources.ts';

/** Interval at which the trail is read; meanwhile it follows the mark. */
const TRAIL_EVERY_MS = 30_000;
const NONE: readonly TrailPiece[] = [];

/**
 * The trail of the selected asset, in as much detail as the zoom of the map shows. Only that of this asset is kept, since a
 * screen may rotate through vehicles for weeks. After a failure the last trail stays and is read again later; a page that
 * becomes visible reads it at once. Without a source or a position of a device there is none.
 */
export function useTrail(
  shown: ShownMap | null,
  source: TrailSource | null,
  selected: Pick<MapMark, 'id' | 'at'> | null,
): readonly TrailPiece[] {
  const [known, setKnown] = useState<{ assetId: number; trail: Trail } | null>(null);
  const assetId = selected && selected.at.measuredAt !== null ? selected.id : null;
  useEffect(() => {
    if (!shown || !source || assetId === null) return setKnown(null);
    const { map, places } = shown;
    const tolerance = () => Math.min(toleranceFor(places.pixelM()), MAX_TOLERANCE_M);
    let reading = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let readM = Number.POSITIVE_INFINITY;
    const read = async () => {
      clearTimeout(timer);
      reading.abort();
      reading = new AbortController();
      const { signal } = reading;
      readM = tolerance();
      try {
        // Hidden pages are not drawn, so nothing is read.
        if (!document.hidden) {
          const trail = await source.read(assetId, readM, signal);
          if (!signal.aborted) setKnown({ assetId, trail });
        }
      } catch {
        // The page reports a lost connection when it reads positions.
      }
      if (!signal.aborted) timer = setTimeout(() => void read(), TRAIL_EVERY_MS);
    };
    const zoomed = () => {
      if (tolerance() < readM) void read();
    };
    const becameVisible = () => {
      if (!document.hidden) void read();
    };
    // After the map has moved to the asset, which may change the zoom.
    timer = setTimeout(() => void read(), 0);
    map.on('zoomend', zoomed);
    document.addEventListener('visibilitychange', becameVisible);
    return () => {
      document.removeEventListener('visibilitychange', becameVisible);
      map.off('zoomend', zoomed);
      clearTimeout(timer);
      reading.abort();
    };
  }, [shown, source, assetId]);
  const trail = known !== null && known.assetId === assetId ? known.trail : null;
  const at = selected?.at;
  return useMemo(() => (trail && at ? trailPieces(trail, at) : NONE), [trail, at]);
}
