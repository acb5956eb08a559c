import type { Webcam } from '@isotherm/contracts/webcams';
import Drawer from 'antd/es/drawer';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { formatSetting } from '../../../shared/format/duration.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { WebcamState } from './webcam-state.tsx';
import { WebcamView } from './webcam-view.tsx';

const MINUTE_MS = 60_000;

/** Drawer of one camera: live view, snapshots and properties. */
export function WebcamDrawer({
  webcam,
  onEdit,
  onDelete,
  onClose,
}: {
  webcam: Webcam;
  onEdit: () => void;
  onDelete: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const { address, assetId, assetName, accountName, snapshotMinutes } = webcam;
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={webcam.name}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <WebcamView webcam={webcam} />
        <Definitions
          facts={[
            { label: text('webcams.state'), value: <WebcamState webcam={webcam} /> },
            {
              label: text('webcams.checked'),
              value: webcam.checkedAt ? time(webcam.checkedAt, 'date-time') : EN_RULE,
            },
            { label: text('webcams.kind'), value: text(`webcams.kind.${webcam.kind}`) },
            ...(address ? [{ label: text('webcams.address'), value: <code>{address}</code> }] : []),
            { label: text('webcams.account'), value: accountName || EN_RULE },
            {
              label: text('webcams.asset'),
              value: assetId === null ? EN_RULE : <AssetLink assetId={assetId}>{assetName}</AssetLink>,
            },
            {
              label: text('webcams.every'),
              value: snapshotMinutes
                ? formatSetting(snapshotMinutes * MINUTE_MS, text)
                : text('webcams.every.never'),
            },
            {
              label: text('webcams.at-alarm'),
              value: text(webcam.snapshotAtAlarm ? 'logs.value.yes' : 'logs.value.no'),
            },
          ]}
        />
        <div className="webcam-tools">
          <PermissionButton permission="asset-webcams:edit" onClick={onEdit}>
            <Icon name="edit" />
            {text('webcams.edit')}
          </PermissionButton>
          <PermissionButton permission="asset-webcams:edit" onClick={onDelete}>
            <Icon name="bin" />
            {text('webcams.delete')}
          </PermissionButton>
        </div>
      </Drawer>
    </>
  );
}
