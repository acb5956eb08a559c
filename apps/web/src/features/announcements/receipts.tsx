import { exportAnnouncementReaders } from '@isotherm/contracts/announcements';
import { useQuery } from '@tanstack/react-query';
import Pagination from 'antd/es/pagination';
import Select from 'antd/es/select';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { saveFile } from '../../shared/ui/save-file.ts';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { readersQuery } from './announcements.queries.ts';

const PAGE_SIZE = 10;

/** Who has read an announcement, and who has not. */
export function Receipts({ id }: { id: number }) {
  const { text, time } = useViewer();
  const [search, setSearch] = useState('');
  const [read, setRead] = useState<'' | 'yes' | 'no'>('');
  const [page, setPage] = useState(1);
  const filter = { search, ...(read ? { read } : {}) };
  const { data, error, refetch } = useQuery(
    readersQuery(id, { ...filter, page: String(page), pageSize: String(PAGE_SIZE) }),
  );
  const save = () =>
    call(exportAnnouncementReaders, { params: { id }, query: filter }).then(
      ({ fileName, content }) => saveFile(fileName, content),
      // The API client has already shown the error.
      () => undefined,
    );
  return (
    <section className="announcement-receipts">
      <h3>
        {text('announcements.receipts')}
        {data ? (
          <span className="secondary">
            {text('announcements.read-by', { readers: data.readers, recipients: data.recipients })}
          </span>
        ) : null}
      </h3>
      <div className="announcement-receipts-bar">
        <FilterBox
          value={search}
          placeholder={text('announcements.receipts.search')}
          onChange={(next) => {
            setSearch(next);
            setPage(1);
          }}
        />
        <Select
          aria-label={text('announcements.receipts.filter')}
          value={read}
          popupMatchSelectWidth={false}
          onChange={(next) => {
            setRead(next);
            setPage(1);
          }}
          options={[
            { value: '' as const, label: text('announcements.receipts.all') },
            { value: 'yes' as const, label: text('announcements.receipts.read') },
            { value: 'no' as const, label: text('announcements.receipts.unread') },
          ]}
        />
        <PermissionButton
          permission={exportAnnouncementReaders.access}
          disabled={!data || data.total === 0}
          onClick={() => void save()}
        >
          <Icon name="download" />
          {text('common.action.export', { count: data?.total ?? 0 })}
        </PermissionButton>
      </div>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      {data?.items.length === 0 ? <p className="secondary">{text('announcements.receipts.none')}</p> : null}
      {data && data.items.length > 0 ? (
        <TableFrame label={text('announcements.receipts')}>
          <thead>
            <tr>
              <th>{text('announcements.reader')}</th>
              <th>{text('announcements.username')}</th>
              <th>{text('announcements.organization')}</th>
              <th>{text('announcements.read-at')}</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map(({ id: account, realname, username, organizationName, readAt }) => (
              <tr key={account}>
                <td>{realname}</td>
                <td className="secondary">{username}</td>
                <td className="secondary">{organizationName}</td>
                <td>
                  {readAt ? (
                    <span className="number">{time(readAt, 'date-time')}</span>
                  ) : (
                    <span className="tertiary">{text('announcements.not-read')}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      ) : null}
      {data && data.total > PAGE_SIZE ? (
        <Pagination
          size="small"
          simple
          current={page}
          pageSize={PAGE_SIZE}
          total={data.total}
          onChange={setPage}
        />
      ) : null}
    </section>
  );
}
