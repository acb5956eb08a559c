import './registry.css';
import { listLogs } from '@isotherm/contracts/logs';
import { fieldWord } from '@isotherm/i18n/log-words';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';

const SHOWN = 50;

/** All changes of an asset from the audit log, for users with access to it. */
export function AssetChanges({ assetId }: { assetId: number }) {
  const { text, time } = useViewer();
  const seesLog = usePermission('management-logs:view');
  const query = { objectKind: 'asset', objectId: String(assetId) };
  const { data } = useQuery({
    queryKey: ['assets', 'changes', assetId],
    queryFn: ({ signal }) => call(listLogs, { query: { ...query, pageSize: SHOWN }, signal, quiet: true }),
    enabled: seesLog,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <section className="panel asset-changes">
      <h2>{text('assets.changes')}</h2>
      <TableFrame label={text('assets.changes')}>
        <thead>
          <tr>
            <th scope="col">{text('logs.at')}</th>
            <th scope="col">{text('logs.action')}</th>
            <th scope="col">{text('logs.changed')}</th>
            <th scope="col">{text('logs.reason')}</th>
            <th scope="col">{text('logs.actor')}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((entry) => (
            <tr key={entry.seq}>
              <td>
                <Link to={`/management/logs?entry=${entry.seq}`}>{time(entry.at, 'date-time')}</Link>
              </td>
              <td>{text(`logs.action.${entry.action}`)}</td>
              <td className="secondary">
                {entry.changed
                  .map((field) => fieldWord('asset', field, text))
                  .join(text('logs.value.between'))}
              </td>
              <td>{entry.reason}</td>
              <td className="secondary">{entry.actor}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      <Link className="small" to={`/management/logs?${new URLSearchParams(query)}`}>
        {text('assets.changes.all')}
      </Link>
    </section>
  );
}
