import { useCallback, useState } from 'react';

/** The width is rounded to steps of this size, so that a small resize causes no request. */
const STEP_PX = 100;

/** The number of points that a chart needs, which follows its width; 0 until it is known. */
export function useChartPoints(): { points: number; onWidth(widthPx: number): void } {
  const [points, setPoints] = useState(0);
  const onWidth = useCallback((widthPx: number) => {
    setPoints(Math.max(STEP_PX, Math.round(widthPx / STEP_PX) * STEP_PX));
  }, []);
  return { points, onWidth };
}
