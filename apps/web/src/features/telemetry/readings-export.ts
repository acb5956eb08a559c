import { type EXPORT_FORMATS, MAX_EXPORT_RANGE_MS, orderReadingsExport } from '@isotherm/contracts/telemetry';
import type { TextId } from '@isotherm/i18n/text-id';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { type CurveWindow, lengthOf } from './curve-window.ts';
import { rangeOf } from './telemetry.queries.ts';

type Format = (typeof EXPORT_FORMATS)[number];
export const EXPORT_LABEL: Record<Format, TextId> = {
  csv: 'records.export.csv',
  xlsx: 'records.export.xlsx',
};
const MAX_DAYS = MAX_EXPORT_RANGE_MS / 86_400_000;

/** Hook that orders every reading of these channels as a file; the drawer shows its progress. */
export function useReadingsExport(channels: readonly number[], window: CurveWindow) {
  const { text, zone } = useViewer();
  const { order, isPending } = useOrder();
  const tooLong = lengthOf(window) > MAX_EXPORT_RANGE_MS;
  return {
    start: (format: Format) =>
      void order(orderReadingsExport, { channels: [...channels], ...rangeOf(window), format, zone }),
    disabled: tooLong || channels.length === 0 || isPending,
    /** Reason why the button is disabled, if there is one to show. */
    hint: tooLong ? text('records.export.too-long', { days: MAX_DAYS }) : undefined,
  };
}
