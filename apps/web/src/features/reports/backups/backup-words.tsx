import type { ArchiveState, BackupConfiguration } from '@isotherm/contracts/backups';
import type { Viewer } from '../../../shared/format/viewer.tsx';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** State of an archive; a failed one stands out. */
export function ArchiveStateText({ state, progress }: { state: ArchiveState; progress?: number }) {
  const { text, language } = useViewer();
  const share = new Intl.NumberFormat(language, { style: 'percent' });
  return (
    <span className={state === 'failed' ? 'report-outside' : ''}>
      {text(`backups.state.${state}`)}
      {state === 'running' && progress !== undefined ? (
        <span className="number"> {share.format(progress)}</span>
      ) : null}
    </span>
  );
}

/** Why a configuration is paused; null if it is not. */
export function pausedWords(
  { enabled, pauseReason }: Pick<BackupConfiguration, 'enabled' | 'pauseReason'>,
  text: Viewer['text'],
): string | null {
  if (enabled) return null;
  return text(pauseReason ? `backups.paused.${pauseReason}` : 'backups.paused');
}

export const devicesWords = ({ devices }: Pick<BackupConfiguration, 'devices'>, text: Viewer['text']) =>
  devices.length === 0
    ? text('backups.devices.all')
    : text('backups.devices.count', { count: devices.length });
