import { type EXPORT_FORMATS, MAX_EXPORT_RANGE_MS } from '@isotherm/contracts/telemetry';
import type { TextId } from '@isotherm/i18n/text-id';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useWhenGone } from '../../shared/tabs/kept-page.ts';
import { type CurveWindow, lengthOf } from './curve-window.ts';
import { saveReadings } from './telemetry.queries.ts';

type Format = (typeof EXPORT_FORMATS)[number];
export const EXPORT_LABEL: Record<Format, TextId> = {
  csv: 'records.export.csv',
  xlsx: 'records.export.xlsx',
};
const MAX_DAYS = MAX_EXPORT_RANGE_MS / 86_400_000;

/** An export of every reading of these channels, which can be cancelled and ends with its page. */
export function useReadingsExport(channels: readonly number[], window: CurveWindow) {
  const { text, zone } = useViewer();
  const underWay = useRef<AbortController | null>(null);
  const cancel = () => underWay.current?.abort();
  useWhenGone(cancel);
  const { mutate, isPending } = useMutation({
    mutationFn: (format: Format) => {
      underWay.current = new AbortController();
      return saveReadings(channels, window, format, zone, underWay.current.signal);
    },
  });
  const tooLong = lengthOf(window) > MAX_EXPORT_RANGE_MS;
  return {
    start: mutate,
    cancel,
    isPending,
    disabled: tooLong || channels.length === 0,
    /** Why it is disabled, if there is something to say. */
    hint: tooLong ? text('records.export.too-long', { days: MAX_DAYS }) : undefined,
  };
}
