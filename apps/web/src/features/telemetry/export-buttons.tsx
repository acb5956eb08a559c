import { EXPORT_FORMATS } from '@isotherm/contracts/telemetry';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import type { CurveWindow } from './curve-window.ts';
import { EXPORT_LABEL, useReadingsExport } from './readings-export.ts';

/** Buttons that order every reading of these channels as a file. */
export function ExportButtons({ channels, window }: { channels: readonly number[]; window: CurveWindow }) {
  const { text } = useText();
  const { start, disabled, hint } = useReadingsExport(channels, window);
  return EXPORT_FORMATS.map((format) => (
    <PermissionButton
      key={format}
      permission="monitor-records:export"
      disabled={disabled}
      {...(hint ? { title: hint } : {})}
      onClick={() => start(format)}
    >
      <Icon name="download" />
      {text(EXPORT_LABEL[format])}
    </PermissionButton>
  ));
}
