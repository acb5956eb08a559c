import './commands.css';
import { type DeviceCommand, listCommands } from '@isotherm/contracts/commands';
import { COMMAND_KINDS, isOpen, REQUEST_STATES } from '@isotherm/domain/devices/command';
import Input from 'antd/es/input';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, Selection } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { BatchProgress } from './batch-progress.tsx';
import { COMMAND_ACTIONS, isCancellable, isRetryable, useCommandActions } from './command-actions.tsx';
import { CommandForm } from './command-form.tsx';
import { CommandState, orderWords } from './command-words.tsx';
import { COMMANDS_KEY, REFRESH_MS } from './commands.queries.ts';

const source = pagesOf(listCommands);

function columnsFor({ text, time }: Viewer): ListColumn<DeviceCommand>[] {
  return [
    {
      key: 'device',
      title: text('commands.device'),
      pinned: true,
      maxWidth: 280,
      render: ({ deviceNumber, deviceName }) => (
        <>
          <span className="number">{deviceNumber}</span> <span className="secondary">{deviceName}</span>
        </>
      ),
    },
    {
      key: 'requestedAt',
      title: text('commands.requested'),
      render: ({ requestedAt }) => <span className="number">{time(requestedAt, 'date-time-seconds')}</span>,
    },
    {
      key: 'what',
      title: text('commands.what'),
      maxWidth: 320,
      render: ({ order }) => orderWords(order, text),
    },
    {
      key: 'state',
      title: text('commands.state'),
      render: (command) => <CommandState command={command} />,
    },
    {
      key: 'attempts',
      title: text('commands.attempts'),
      align: 'end',
      render: ({ attempts }) => attempts,
    },
    { key: 'by', title: text('commands.by'), maxWidth: 180, render: ({ requestedBy }) => requestedBy },
    {
      key: 'organization',
      title: text('commands.organization'),
      maxWidth: 200,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'since',
      title: text('commands.since'),
      offered: true,
      render: ({ since }) => <span className="number">{time(since, 'date-time-seconds')}</span>,
    },
    {
      key: 'expiresAt',
      title: text('commands.until'),
      offered: true,
      render: ({ expiresAt }) => <span className="number">{time(expiresAt, 'date-time')}</span>,
    },
    {
      key: 'batch',
      title: text('commands.batch'),
      offered: true,
      align: 'end',
      render: ({ batchId }) => batchId,
    },
  ];
}

function filtersFor(text: Text): ListFilter[] {
  return [
    {
      keys: ['state'],
      label: text('commands.state'),
      options: REQUEST_STATES.map((state) => ({ value: state, label: text(`commands.state.${state}`) })),
    },
    {
      keys: ['kind'],
      label: text('commands.kind'),
      options: COMMAND_KINDS.map((kind) => ({ value: kind, label: text(`commands.kind.${kind}`) })),
    },
    {
      keys: ['batchId'],
      label: text('commands.batch'),
      more: true,
      control: (values, change) => (
        <BatchNumber
          key={values.batchId}
          label={text('commands.batch')}
          value={values.batchId ?? ''}
          onChange={(batchId) => change({ batchId })}
        />
      ),
      describe: ({ batchId }) => batchId ?? '',
    },
  ];
}

/** Page of the commands to devices of the user's own and subordinate organisations, with their results. */
export default function CommandList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const { act, dialogs } = useCommandActions();
  const maySend = usePermission('device-commands:send');
  const [unknown, setUnknown] = useState<{ batchId: number; numbers: readonly string[] } | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo(() => filtersFor(text), [text]);
  const batchId = Number(params.get('batchId')) || null;
  const showBatch = (id: number | null) => change({ batchId: id, page: null }, 'push');

  const bulk = ({ items, clear }: Selection<DeviceCommand>) => {
    const deeds = { again: items.filter(isRetryable), cancel: items.filter(isCancellable) };
    return COMMAND_ACTIONS.map((action) => (
      <Button
        key={action}
        disabled={deeds[action].length === 0}
        onClick={() => act(action, deeds[action], clear)}
      >
        {text(`commands.${action}`)}
      </Button>
    ));
  };

  return (
    <>
      <ListPage
        name="device-commands"
        title={text('menu.device-commands')}
        purpose={text('commands.purpose')}
        source={source}
        queryKey={COMMANDS_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ order, deviceNumber }) =>
          text('commands.row', { kind: text(`commands.kind.${order.kind}`), device: deviceNumber })
        }
        searchLabel={text('commands.search')}
        defaultSort={{ sort: 'requestedAt', order: 'desc' }}
        filters={filters}
        refreshAfter={({ items }) => items.some(({ state }) => isOpen(state)) && REFRESH_MS}
        above={
          batchId ? (
            <BatchProgress
              id={batchId}
              unknown={unknown?.batchId === batchId ? unknown.numbers : []}
              onClose={() => showBatch(null)}
            />
          ) : null
        }
        actions={
          <PermissionButton
            permission="device-commands:send"
            variant="primary"
            onClick={() => change({ new: 1 }, 'push')}
          >
            <Icon name="plus" />
            {text('commands.create')}
          </PermissionButton>
        }
        onOpen={(command) => showBatch(command.batchId)}
        rowActions={(command) => [
          {
            key: 'batch',
            label: text('commands.batch.show'),
            onClick: () => showBatch(command.batchId),
          },
          ...(maySend && isRetryable(command)
            ? [{ key: 'again', label: text('commands.again'), onClick: () => act('again', [command]) }]
            : []),
          ...(maySend && isCancellable(command)
            ? [{ key: 'cancel', label: text('commands.cancel'), onClick: () => act('cancel', [command]) }]
            : []),
        ]}
        {...(maySend ? { bulk } : {})}
        empty={{ title: text('commands.empty.title'), reason: text('commands.empty.reason') }}
      />
      {params.get('new') && maySend ? (
        <CommandForm
          onSent={(batch, numbers) => {
            setUnknown({ batchId: batch.id, numbers });
            change({ new: null, q: null, state: null, kind: null, page: null, batchId: batch.id });
          }}
          onClose={() => change({ new: null })}
        />
      ) : null}
      {dialogs}
    </>
  );
}

function BatchNumber({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string | null) => void;
}) {
  const [typed, setTyped] = useState(value);
  const say = () => onChange(/^[1-9]\d{0,15}$/.test(typed.trim()) ? typed.trim() : null);
  return (
    <Input
      className="command-batch-filter"
      aria-label={label}
      inputMode="numeric"
      value={typed}
      maxLength={16}
      allowClear
      onChange={(event) => setTyped(event.target.value)}
      onPressEnter={say}
      onBlur={say}
    />
  );
}
