import { EXPORT_FORMATS, MAX_EXPORT_RANGE_MS } from '@isotherm/contracts/telemetry';
import type { TextId } from '@isotherm/i18n/text-id';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useWhenGone } from '../../shared/tabs/kept-page.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { type CurveWindow, lengthOf } from './curve-window.ts';
import { saveReadings } from './telemetry.queries.ts';

type Format = (typeof EXPORT_FORMATS)[number];
const LABEL: Record<Format, TextId> = { csv: 'records.export.csv', xlsx: 'records.export.xlsx' };

/** Exports every reading of these channels; a long export can be cancelled. */
export function ExportButtons({ channels, window }: { channels: readonly number[]; window: CurveWindow }) {
  const { text, zone } = useViewer();
  const underWay = useRef<AbortController | null>(null);
  useWhenGone(() => underWay.current?.abort());
  const { mutate, isPending } = useMutation({
    mutationFn: (format: Format) => {
      underWay.current = new AbortController();
      return saveReadings(channels, window, format, zone, underWay.current.signal);
    },
  });
  const days = MAX_EXPORT_RANGE_MS / 86_400_000;
  const tooLong = lengthOf(window) > MAX_EXPORT_RANGE_MS;
  if (isPending)
    return (
      <Button onClick={() => underWay.current?.abort()}>
        <Icon name="close" />
        {text('common.exporting')} · {text('common.action.cancel')}
      </Button>
    );
  return EXPORT_FORMATS.map((format) => (
    <PermissionButton
      key={format}
      permission="monitor-records:export"
      disabled={tooLong || channels.length === 0}
      {...(tooLong ? { title: text('records.export.too-long', { days }) } : {})}
      onClick={() => mutate(format)}
    >
      <Icon name="download" />
      {text(LABEL[format])}
    </PermissionButton>
  ));
}
