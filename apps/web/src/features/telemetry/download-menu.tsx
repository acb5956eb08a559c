import { EXPORT_FORMATS } from '@isotherm/contracts/telemetry';
import Dropdown from 'antd/es/dropdown';
import { usePermission } from '../../shared/access/permissions.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import type { CurveWindow } from './curve-window.ts';
import { EXPORT_LABEL, useReadingsExport } from './readings-export.ts';

/**
 * Menu with the downloads of a chart: its image, and the readings of its channels for users who may export
 * them.
 */
export function DownloadMenu({
  channels,
  window,
  onPicture,
}: {
  channels: readonly number[];
  window: CurveWindow;
  /** Downloads the image; undefined while there is nothing to draw. */
  onPicture: (() => void) | undefined;
}) {
  const { text } = useText();
  const mayExport = usePermission('monitor-records:export');
  const { start, disabled, hint } = useReadingsExport(channels, window);
  const items = [
    { key: 'picture', label: text('curve.picture'), disabled: !onPicture, onClick: () => onPicture?.() },
    ...(mayExport ? EXPORT_FORMATS : []).map((format) => ({
      key: format,
      label: text(EXPORT_LABEL[format]),
      title: hint,
      disabled,
      onClick: () => start(format),
    })),
  ];
  return (
    <Dropdown trigger={['click']} placement="bottomRight" menu={{ items }}>
      <Button icon aria-label={text('common.action.download')} title={text('common.action.download')}>
        <Icon name="download" />
      </Button>
    </Dropdown>
  );
}
