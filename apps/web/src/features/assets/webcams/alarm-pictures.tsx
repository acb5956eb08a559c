import { useQuery } from '@tanstack/react-query';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SnapshotGrid } from './snapshots.tsx';
import { snapshotsQuery } from './webcams.queries.ts';

/** Camera snapshots of an alarm; nothing is rendered if there are none. */
export function AlarmPictures({ alarmId }: { alarmId: number }) {
  const { text } = useText();
  const mayLook = usePermission('asset-webcams:view');
  const { data } = useQuery({ ...snapshotsQuery({ alarmId, pageSize: 50 }), enabled: mayLook });
  if (!data || data.total === 0) return null;
  return (
    <section aria-label={text('webcams.alarm-pictures')}>
      <h3 className="webcam-heading">{text('webcams.alarm-pictures')}</h3>
      <SnapshotGrid items={data.items} named />
    </section>
  );
}
