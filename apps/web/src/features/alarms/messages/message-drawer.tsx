import '../alarms.css';
import {
  type AlarmMessageDetail,
  getAlarmMessage,
  resendAlarmMessage,
} from '@isotherm/contracts/alarm-messages';
import { smsLength } from '@isotherm/domain/billing/sms-segments';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import { useRefreshing } from '../../../shared/api/crud-changes.ts';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { buttonClass } from '../../../shared/ui/button.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { errorText, MESSAGES_KEY } from './message-words.ts';

const CHANGED = [MESSAGES_KEY];
const SETTLED = new Set<AlarmMessageDetail['state']>(['success', 'failed', 'unsent']);

/** Drawer with one notification: its text, attempts and cost, and the button to send it again. */
export function MessageDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { text } = useViewer();
  const after = useRefreshing(CHANGED);
  const [busy, setBusy] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: [...MESSAGES_KEY, 'one', id],
    queryFn: ({ signal }) => call(getAlarmMessage, { params: { id }, signal, quiet: true }),
  });
  async function resend() {
    setBusy(true);
    try {
      await after(call(resendAlarmMessage, { params: { id } }));
      toast('success', text('alarm-messages.resent'));
      onClose();
    } catch {
      // The API client has already shown the error as a message.
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        onClose={onClose}
        size={480}
        title={
          data
            ? text('alarm-messages.title', {
                channel: text(`alarms.message.${data.channel}`),
                recipient: data.recipient || text('alarms.message.gone'),
              })
            : text('alarm-messages.one')
        }
        extra={
          data ? (
            <>
              <Link className={buttonClass()} to={`/alarm/${data.alarmId}`}>
                {text('alarms.open-page')}
              </Link>{' '}
              <PermissionButton
                permission="alarm-messages:resend"
                disabled={busy || !SETTLED.has(data.state)}
                onClick={() => void resend()}
              >
                {text('alarm-messages.resend')}
              </PermissionButton>
            </>
          ) : null
        }
      >
        {data ? <MessageFacts message={data} /> : null}
        {!data && error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      </Drawer>
    </>
  );
}

function MessageFacts({ message }: { message: AlarmMessageDetail }) {
  const { text, time, language } = useViewer();
  const { rendered, sms, tries, receipts, entries, units } = message;
  const length = sms && message.channel === 'sms' ? smsLength(sms.text) : null;
  return (
    <>
      <div className="alarm-message-text">
        {rendered.subject ? <p className="strong">{rendered.subject}</p> : null}
        <p>{rendered.text}</p>
      </div>
      {sms ? <p className="small tertiary number">{sms.number}</p> : null}
      <dl className="alarm-facts">
        <Fact label={text('alarm-messages.state')}>
          <span className="strong">{text(`alarm-messages.state.${message.state}`)}</span>
        </Fact>
        {message.error ? (
          <Fact label={text('alarm-messages.error')}>{errorText(message.error, text)}</Fact>
        ) : null}
        <Fact label={text('alarm-messages.asset')}>{message.assetName}</Fact>
        <Fact label={text('alarm-messages.time')}>{time(message.at, 'date-time')}</Fact>
        {message.deliveredAt ? (
          <Fact label={text('alarm-messages.delivered-at')}>{time(message.deliveredAt, 'date-time')}</Fact>
        ) : null}
        <Fact label={text('alarm-messages.attempts')}>{integer(language, message.attempts)}</Fact>
        {sms?.providerMessageId ? (
          <Fact label={text('alarm-messages.provider-id')}>
            <code>{sms.providerMessageId}</code>
          </Fact>
        ) : null}
        {length ? (
          <Fact label={text('alarm-messages.length')}>
            {text('alarm-messages.length.value', {
              places: length.places,
              encoding: length.encoding.toUpperCase(),
              segments: length.segments,
            })}
          </Fact>
        ) : null}
        {units === null ? null : <Fact label={text('alarm-messages.units')}>{integer(language, units)}</Fact>}
        {tries.map(({ at, provider, outcome, detail }) => (
          <Fact key={at} label={time(at, 'day-time')}>
            {[provider, text(`alarm-messages.outcome.${outcome as 'sent'}`), detail]
              .filter(Boolean)
              .join(' · ')}
          </Fact>
        ))}
        {receipts.map(({ at, provider, state, code }) => (
          <Fact key={`${state} ${at}`} label={time(at, 'day-time')}>
            {[provider, text(`alarm-messages.receipt.${state}`), code].filter(Boolean).join(' · ')}
          </Fact>
        ))}
        {entries.map((entry) => (
          <Fact key={entry.id} label={text('alarm-messages.entry', { id: entry.id })}>
            {text(`alarm-messages.entry.${entry.kind}`, { units: entry.units })}
          </Fact>
        ))}
      </dl>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
