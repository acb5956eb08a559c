import {
  getInstallationBackups,
  type InstallationBackup,
  startInstallationBackup,
} from '@isotherm/contracts/backups';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { sizeText } from '../../../shared/format/size.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { ARCHIVES_EVERY_MS, BACKUPS_KEY } from './backups.queries.ts';

const KEY = [...BACKUPS_KEY, 'installation'] as const;
const isOpen = ({ endedAt }: InstallationBackup) => endedAt === null;

/** Panel of operators: the last backups of the whole installation, and one more now. */
export function InstallationPanel() {
  const { text } = useViewer();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call(getInstallationBackups, { signal, quiet: true }),
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? ARCHIVES_EVERY_MS : false),
  });
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(startInstallationBackup, {}),
    onSuccess: () => toast('success', text('backups.run.done')),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  const { keep, items } = data;
  return (
    <section className="panel backup-service" aria-label={text('backups.installation')}>
      <p className="strong">{text('backups.installation')}</p>
      <p className="secondary">{text('backups.installation.help')}</p>
      <p className="secondary">
        {keep === 0 ? text('backups.installation.off') : text('backups.installation.kept', { count: keep })}
      </p>
      {items.length === 0 ? (
        <p className="secondary">{text('backups.installation.none')}</p>
      ) : (
        <TableFrame label={text('backups.installation.list')}>
          <thead>
            <tr>
              <th>{text('backups.installation.started')}</th>
              <th>{text('backups.installation.result')}</th>
              <th>{text('backups.file')}</th>
              <th>{text('reports.register.size')}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((each) => (
              <Row key={each.id} backup={each} />
            ))}
          </tbody>
        </TableFrame>
      )}
      {keep === 0 ? null : (
        <Button disabled={isPending || items.some(isOpen)} onClick={() => mutate()}>
          {text('backups.installation.run')}
        </Button>
      )}
    </section>
  );
}

function Row({ backup }: { backup: InstallationBackup }) {
  const { text, time } = useViewer();
  const { startedAt, startedBy, endedAt, fileName, bytes, verifiedAt, error } = backup;
  return (
    <tr>
      <td>
        <span className="number">{time(startedAt, 'date-time')}</span>
        <span className="report-at">
          {startedBy ? text('backups.by', { name: startedBy }) : text('backups.installation.nightly')}
        </span>
      </td>
      <td>
        {endedAt === null ? text('backups.installation.running') : null}
        {error === null ? null : (
          <span className="report-outside">{text('backups.installation.failed', { error })}</span>
        )}
        {endedAt !== null && error === null
          ? text(verifiedAt ? 'backups.installation.verified' : 'backups.installation.unverified')
          : null}
      </td>
      <td>{fileName ?? EN_RULE}</td>
      <td className="number">{bytes === null ? EN_RULE : sizeText(bytes)}</td>
    </tr>
  );
}
