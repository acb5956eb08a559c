import './logs.css';
import { exportLogs, type LogEntry, listLogs, orderLogs } from '@isotherm/contracts/logs';
import { AUDIT_ACTIONS } from '@isotherm/domain/access/audit-actions';
import { fieldWord, kindWord } from '@isotherm/i18n/log-words';
import { useQuery } from '@tanstack/react-query';
import Input from 'antd/es/input';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { periodFilter } from '../../../shared/ui/list/period-filter.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { LogDrawer } from './log-drawer.tsx';
import { shortSession } from './log-words.ts';
import { LOGS_KEY, objectKindsQuery } from './logs.queries.ts';

const source = pagesOf(listLogs);

function columnsFor({ text, time }: Viewer): ListColumn<LogEntry>[] {
  return [
    {
      key: 'at',
      title: text('logs.at'),
      pinned: true,
      render: (entry) => <span className="number">{time(entry.at, 'date-time-seconds')}</span>,
    },
    { key: 'actor', title: text('logs.actor'), maxWidth: 200, render: (entry) => entry.actor || EN_RULE },
    { key: 'action', title: text('logs.action'), render: (entry) => text(`logs.action.${entry.action}`) },
    {
      key: 'object',
      title: text('logs.object'),
      maxWidth: 320,
      render: (entry) => (
        <>
          <span className="secondary">{kindWord(entry.objectKind, text)}</span> {entry.objectName}
        </>
      ),
    },
    {
      key: 'changed',
      title: text('logs.changed'),
      maxWidth: 240,
      wideOnly: true,
      render: (entry) => (
        <span className="secondary">
          {entry.changed
            .map((field) => fieldWord(entry.objectKind, field, text))
            .join(text('logs.value.between'))}
        </span>
      ),
    },
    { key: 'reason', title: text('logs.reason'), maxWidth: 240, render: (entry) => entry.reason },
    {
      key: 'organization',
      title: text('logs.organization'),
      maxWidth: 200,
      wideOnly: true,
      render: (entry) => <span className="secondary">{entry.organizationName}</span>,
    },
    {
      key: 'address',
      title: text('logs.address'),
      render: (entry) => <bdi dir="ltr">{entry.address}</bdi>,
    },
    {
      key: 'seq',
      title: text('logs.number'),
      offered: true,
      align: 'end',
      render: (entry) => entry.seq,
    },
  ];
}

function filtersFor(viewer: Viewer, kinds: readonly string[]): ListFilter[] {
  const { text } = viewer;
  return [
    periodFilter(viewer),
    {
      keys: ['action'],
      label: text('logs.action'),
      options: AUDIT_ACTIONS.map((action) => ({ value: action, label: text(`logs.action.${action}`) })),
    },
    {
      keys: ['objectKind'],
      label: text('logs.kind'),
      options: kinds.map((kind) => ({ value: kind, label: kindWord(kind, text) })),
    },
    {
      keys: ['actor'],
      label: text('logs.actor'),
      more: true,
      control: (values, change) => (
        <Typed
          label={text('logs.actor')}
          value={values.actor ?? ''}
          onChange={(actor) => change({ actor })}
        />
      ),
      describe: ({ actor }) => actor ?? '',
    },
    {
      keys: ['objectId'],
      label: text('logs.object-id'),
      more: true,
      control: (values, change) => (
        <Typed
          label={text('logs.object-id')}
          value={values.objectId ?? ''}
          onChange={(objectId) => change({ objectId })}
        />
      ),
      describe: ({ objectId }) => objectId ?? '',
    },
    {
      keys: ['sessionId'],
      label: text('logs.session'),
      more: true,
      control: (values, change) => (
        <Typed
          label={text('logs.session')}
          value={values.sessionId ?? ''}
          onChange={(sessionId) => change({ sessionId })}
        />
      ),
      describe: ({ sessionId }) => shortSession(sessionId ?? ''),
    },
  ];
}

/** Page of the audit log of the user's own and subordinate organisations. */
export default function LogList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const sees = usePermission('management-logs:view');
  const { data: kinds } = useQuery({ ...objectKindsQuery, enabled: sees });
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo(() => filtersFor(viewer, kinds ?? []), [viewer, kinds]);
  const shown = Number(params.get('entry')) || null;
  return (
    <>
      <ListPage
        name="management-logs"
        title={text('menu.management-logs')}
        purpose={text('logs.purpose')}
        source={source}
        queryKey={LOGS_KEY}
        columns={columns}
        rowKey={(entry) => entry.seq}
        rowName={(entry) => text('logs.entry', { seq: entry.seq })}
        searchLabel={text('logs.search')}
        defaultSort={{ sort: 'at', order: 'desc' }}
        filters={filters}
        exporting={exportLogs}
        ordering={orderLogs}
        onOpen={(entry) => change({ entry: entry.seq }, 'push')}
        empty={{ title: text('logs.empty.title'), reason: text('logs.empty.reason') }}
      />
      {shown ? <LogDrawer seq={shown} onClose={() => change({ entry: null })} /> : null}
    </>
  );
}

function Typed({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string | null) => void;
}) {
  const [typed, setTyped] = useState(value);
  const say = () => onChange(typed.trim() === '' ? null : typed.trim());
  return (
    <Input
      aria-label={label}
      value={typed}
      maxLength={64}
      allowClear
      onChange={(event) => setTyped(event.target.value)}
      onPressEnter={say}
      onBlur={say}
    />
  );
}
