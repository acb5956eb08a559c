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

/**
 * Hook for an export of every reading of these channels. The user can cancel it, and it ends when the page
 * is closed.
 */
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
    /** Reason why the button is disabled, if there is one to show. */
    hint: tooLong ? text('records.export.too-long', { days: MAX_DAYS }) : undefined,
  };
}
