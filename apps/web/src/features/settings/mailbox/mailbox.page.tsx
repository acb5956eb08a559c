import '../settings.css';
import { listMailbox, type MailboxMessage, MESSAGE_CHANNELS } from '@isotherm/contracts/mailbox';
import Drawer from 'antd/es/drawer';
import { useState } from 'react';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';

const CHANNEL_LABEL = { sms: 'settings.mailbox.sms', email: 'settings.mailbox.email' } as const;
const STATUS_LABEL = {
  pending: 'settings.mailbox.pending',
  sent: 'settings.mailbox.sent',
  failed: 'settings.mailbox.failed',
} as const;

/** Page with the messages of a test installation, which are stored instead of sent. */
export default function MailboxList() {
  const { text, time } = useViewer();
  const [open, setOpen] = useState<MailboxMessage | null>(null);
  return (
    <>
      <ListPage
        name="mailbox"
        title={text('menu.mailbox')}
        purpose={text('settings.mailbox.purpose')}
        source={pagesOf(listMailbox)}
        queryKey={['settings', 'mailbox']}
        rowKey={({ id }) => id}
        rowName={({ recipient }) => recipient}
        searchLabel={text('settings.mailbox.search')}
        defaultSort={{ sort: 'createdAt', order: 'desc' }}
        filters={[
          {
            keys: ['channel'],
            label: text('settings.mailbox.channel'),
            options: MESSAGE_CHANNELS.map((value) => ({ value, label: text(CHANNEL_LABEL[value]) })),
          },
        ]}
        columns={[
          {
            key: 'recipient',
            title: text('settings.mailbox.recipient'),
            pinned: true,
            render: ({ recipient }) => <bdi dir="ltr">{recipient}</bdi>,
          },
          {
            key: 'channel',
            title: text('settings.mailbox.channel'),
            render: ({ channel }) => text(CHANNEL_LABEL[channel]),
          },
          {
            key: 'text',
            title: text('settings.mailbox.message'),
            maxWidth: 520,
            render: (message) => message.subject || message.text,
          },
          {
            key: 'status',
            title: text('settings.mailbox.status'),
            render: ({ status }) => text(STATUS_LABEL[status]),
          },
          {
            key: 'createdAt',
            title: text('settings.mailbox.at'),
            render: ({ createdAt }) => <span className="number">{time(createdAt, 'date-time')}</span>,
          },
        ]}
        onOpen={setOpen}
        empty={{ title: text('settings.mailbox.empty'), reason: text('settings.mailbox.empty-reason') }}
      />
      {open ? <Letter message={open} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function Letter({ message, onClose }: { message: MailboxMessage; onClose: () => void }) {
  const { text, time } = useViewer();
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={480}
        title={message.subject || text(CHANNEL_LABEL[message.channel])}
        onClose={onClose}
      >
        <Definitions
          facts={[
            { label: text('settings.mailbox.recipient'), value: <bdi dir="ltr">{message.recipient}</bdi> },
            { label: text('settings.mailbox.status'), value: text(STATUS_LABEL[message.status]) },
            { label: text('settings.mailbox.at'), value: time(message.createdAt, 'date-time') },
          ]}
        />
        <p className="mailbox-text" lang={message.language}>
          {message.text}
        </p>
        {message.error ? <p className="field-fault">{message.error}</p> : null}
      </Drawer>
    </>
  );
}
