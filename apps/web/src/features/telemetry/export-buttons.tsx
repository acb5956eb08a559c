import { EXPORT_FORMATS } from '@isotherm/contracts/telemetry';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import type { CurveWindow } from './curve-window.ts';
import { EXPORT_LABEL, useReadingsExport } from './readings-export.ts';

/** Buttons that export every reading of these channels. A long export can be cancelled. */
export function ExportButtons({ channels, window }: { channels: readonly number[]; window: CurveWindow }) {
  const { text } = useText();
  const { start, cancel, isPending, disabled, hint } = useReadingsExport(channels, window);
  if (isPending) return <CancelExport onClick={cancel} />;
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

/** Button that replaces the export button while an export is running. */
export function CancelExport({ onClick }: { onClick: () => void }) {
  const { text } = useText();
  return (
    <Button onClick={onClick}>
      <Icon name="close" />
      {text('common.exporting')} · {text('common.action.cancel')}
    </Button>
  );
}
