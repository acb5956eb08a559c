import '../alarms.css';
import {
  exportAlarmMessages,
  type ListedMessage,
  listAlarmMessages,
  MAX_MESSAGES,
  orderAlarmMessages,
} from '@isotherm/contracts/alarm-messages';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { NOTIFICATION_CHANNELS } from '@isotherm/domain/alarms/graded-policy';
import { MESSAGE_STATES } from '@isotherm/domain/notifications/message-state';
import { useMemo } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { EN_RULE, integer } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView, Selection } from '../../../shared/ui/list/list-types.ts';
import { periodFilter } from '../../../shared/ui/list/period-filter.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { MessageDrawer } from './message-drawer.tsx';
import { errorText, MESSAGES_KEY } from './message-words.ts';
import { ResendMany } from './resend-many.tsx';

const source = pagesOf(listAlarmMessages);
const REFRESH_MS = 5_000;
const WAITING = new Set<ListedMessage['state']>(['in-progress', 'pending']);
const VIEW_STATES = ['in-progress', 'failed', 'unsent'] as const;

function columnsFor({ text, time, language }: Viewer): ListColumn<ListedMessage>[] {
  return [
    {
      key: 'at',
      title: text('alarm-messages.time'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ at }) => <span className="number">{time(at, 'date-time')}</span>,
    },
    {
      key: 'asset',
      title: text('alarm-messages.alarm'),
      pinned: true,
      maxWidth: 260,
      render: ({ level, assetName }) => (
        <span className="alarm-message-asset">
          <LevelGlyph level={level} /> {assetName}
        </span>
      ),
    },
    {
      key: 'recipient',
      title: text('alarm-messages.recipient'),
      maxWidth: 220,
      render: ({ recipient }) => recipient || text('alarms.message.gone'),
    },
    {
      key: 'channel',
      title: text('alarm-messages.channel'),
      render: ({ channel }) => text(`alarms.message.${channel}`),
    },
    {
      key: 'state',
      title: text('alarm-messages.state'),
      render: ({ state }) => (
        <span className={state === 'failed' || state === 'unsent' ? 'strong' : undefined}>
          {text(`alarm-messages.state.${state}`)}
        </span>
      ),
    },
    {
      key: 'receipt',
      title: text('alarm-messages.receipt'),
      render: ({ receipt }) =>
        receipt ? (
          <span title={time(receipt.at, 'date-time-seconds')}>
            {text(`alarm-messages.receipt.${receipt.state}`)}
          </span>
        ) : (
          EN_RULE
        ),
    },
    {
      key: 'units',
      title: text('alarm-messages.units'),
      align: 'end',
      render: ({ units }) => (
        <span className="number">{units === null ? EN_RULE : integer(language, units)}</span>
      ),
    },
    {
      key: 'error',
      title: text('alarm-messages.error'),
      maxWidth: 280,
      render: ({ error }) => <span className="secondary">{errorText(error, text)}</span>,
    },
    {
      key: 'organization',
      title: text('users.organization'),
      offered: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of all notifications of alarms, with their state and cost. */
export default function AlarmMessagesPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const open = Number(params.get('message')) || null;
  const canResend = usePermission('alarm-messages:resend');
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const views = useMemo<ListView[]>(
    () => [
      { key: 'all', label: text('alarm-messages.all'), query: {} },
      ...VIEW_STATES.map((state) => ({
        key: state,
        label: text(`alarm-messages.state.${state}`),
        query: { state },
      })),
    ],
    [text],
  );
  const filters = useMemo<ListFilter[]>(
    () => [
      periodFilter(viewer),
      {
        keys: ['channel'],
        label: text('alarm-messages.channel'),
        options: NOTIFICATION_CHANNELS.map((value) => ({ value, label: text(`alarms.message.${value}`) })),
      },
      {
        keys: ['state'],
        label: text('alarm-messages.state'),
        options: MESSAGE_STATES.map((value) => ({ value, label: text(`alarm-messages.state.${value}`) })),
      },
      {
        keys: ['level'],
        label: text('alarm-messages.level'),
        options: [...ALARM_LEVELS]
          .reverse()
          .map((level) => ({ value: String(level), label: levelLabel(level, text) })),
      },
    ],
    [viewer, text],
  );
  return (
    <>
      <ListPage
        name="alarm-messages"
        title={text('menu.alarm-messages')}
        purpose={text('alarm-messages.purpose')}
        source={source}
        queryKey={MESSAGES_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ assetName }) => assetName}
        searchLabel={text('alarm-messages.search')}
        defaultSort={{ sort: 'at', order: 'desc' }}
        filters={filters}
        views={views}
        exporting={exportAlarmMessages}
        ordering={orderAlarmMessages}
        {...(canResend
          ? { bulk: (selection: Selection<ListedMessage>) => <ResendMany selection={selection} /> }
          : {})}
        refreshAfter={({ items }) => items.some(({ state }) => WAITING.has(state)) && REFRESH_MS}
        onOpen={({ id }) => change({ message: id }, 'push')}
        empty={{ title: text('alarm-messages.empty'), reason: text('alarm-messages.empty-reason') }}
        note={({ isLimited }) => (isLimited ? text('alarm-messages.limited', { count: MAX_MESSAGES }) : null)}
      />
      {open === null ? null : <MessageDrawer id={open} onClose={() => change({ message: null })} />}
    </>
  );
}
