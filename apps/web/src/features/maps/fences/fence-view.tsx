import type { Geofence } from '@isotherm/contracts/geofences';
import { useState } from 'react';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useFenceChanges } from './fences.queries.ts';

const NOTHING = '–';

/** One geofence beside the map, with its actions. */
export function FenceView({
  fence,
  onEdit,
  onEvents,
  onClose,
}: {
  fence: Geofence;
  onEdit: () => void;
  onEvents: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const changes = useFenceChanges();
  const [isDoomed, setDoomed] = useState(false);
  const { name, shape, marginM, dwellMinutes, shared, note, inside, editable } = fence;
  const size = shape.kind === 'circle' ? shape.radiusM : shape.kind === 'corridor' ? shape.sideM : null;
  const points =
    shape.kind === 'circle' ? null : shape.kind === 'polygon' ? shape.ring.length : shape.line.length;
  return (
    <div className="fence-view">
      <Button size="small" onClick={onClose}>
        <Icon name="left" />
        {text('geofences.back')}
      </Button>
      <h2 className="fence-name">{name}</h2>
      <Definitions
        facts={[
          { label: text('geofences.kind'), value: text(`geofences.kind.${shape.kind}`) },
          ...(size === null
            ? []
            : [
                {
                  label: text(shape.kind === 'circle' ? 'geofences.radius' : 'geofences.side'),
                  value: <span className="number">{size}</span>,
                },
              ]),
          ...(points === null
            ? []
            : [{ label: text('geofences.places'), value: <span className="number">{points}</span> }]),
          { label: text('geofences.asset'), value: text('geofences.inside', { count: inside }) },
          { label: text('geofences.margin'), value: <span className="number">{marginM}</span> },
          {
            label: text('geofences.dwell'),
            value: <span className="number">{dwellMinutes ?? NOTHING}</span>,
          },
          { label: text('geofences.organization'), value: fence.organizationName },
          {
            label: text('geofences.shared'),
            value: text(shared ? 'logs.value.yes' : 'logs.value.no'),
          },
          { label: text('geofences.note'), value: note || NOTHING },
          {
            label: text('geofences.changed'),
            value: `${time(fence.changedAt, 'date-time')} · ${fence.changedBy}`,
          },
        ]}
      />
      {editable ? null : <p className="secondary small">{text('geofences.off-scope')}</p>}
      <div className="fence-actions">
        <Button onClick={onEvents}>{text('geofences.events')}</Button>
        {editable ? (
          <>
            <PermissionButton permission="map-geofences:edit" onClick={onEdit}>
              <Icon name="edit" />
              {text('geofences.edit')}
            </PermissionButton>
            <PermissionButton
              permission="map-geofences:edit"
              variant="danger"
              onClick={() => setDoomed(true)}
            >
              {text('geofences.delete')}
            </PermissionButton>
          </>
        ) : null}
      </div>
      {isDoomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('geofences.delete.title', { name })}
          confirmLabel={text('geofences.delete')}
          onConfirm={async (reason) => {
            await changes.remove(fence.id, reason);
            toast('success', text('geofences.deleted', { name }));
            onClose();
          }}
          onClose={() => setDoomed(false)}
        >
          {text('geofences.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </div>
  );
}
