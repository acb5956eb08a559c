import type { getBackupService } from '@isotherm/contracts/backups';
import type { ResponseOf } from '@isotherm/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { backupServiceQuery, useBackupChanges } from './backups.queries.ts';

/** Panel that says what the premium service does and until when it can be used, and offers the trial. */
export function BackupService() {
  const { data, error, refetch } = useQuery(backupServiceQuery);
  const { text } = useViewer();
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  return (
    <section className="panel backup-service" aria-label={text('backups.service')}>
      <ServiceFacts service={data} />
      {data.canDeliver ? null : (
        <p className="secondary" role="status">
          {text('backups.no-transport')}
        </p>
      )}
    </section>
  );
}

function ServiceFacts({ service }: { service: ResponseOf<typeof getBackupService> }) {
  const { text, time } = useViewer();
  const changes = useBackupChanges();
  const { state, until, deviceLimit, mayTry, organizationId } = service;
  const day = until === null ? '' : time(until, 'date');
  async function startTrial() {
    try {
      await changes.startTrial(organizationId, { service: 'backup' });
      toast('success', text('backups.service.tried'));
    } catch (error) {
      toast('failure', (error as Error).message);
    }
  }
  return (
    <>
      <p className="row">
        <span className="strong">{text('backups.service')}</span>
        <span className="tag">{text(`premium.state.${state}`)}</span>
      </p>
      {state === 'trial' || state === 'active' ? null : <p>{text('backups.service.what')}</p>}
      <p className={state === 'ended' ? 'report-outside' : 'secondary'}>
        {text(`backups.service.${state}`, { day, count: deviceLimit ?? 0 })}
      </p>
      {mayTry ? (
        <PermissionButton
          permission="management-premium:trial"
          variant="primary"
          onClick={() => void startTrial()}
        >
          {text('backups.service.try')}
        </PermissionButton>
      ) : null}
    </>
  );
}
