import type { DeviceConnection, RefusedDeviceMessage } from '@isotherm/contracts/device-connection';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { channelKey } from '@isotherm/contracts/ingest';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { textId } from '@isotherm/i18n/text-id';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { serverNow } from '../../../shared/api/clock.ts';
import { formatSetting } from '../../../shared/format/duration.ts';
import { withUnit } from '../../../shared/format/number.ts';
import { Age, Lasting, useViewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { type ConnectState, channelsOf, type LiveChannel, mainChannel } from './connect-state.ts';

interface ProgressProps {
  device: DeviceDetail;
  connection: DeviceConnection;
  state: ConnectState;
}

/** Shows the connection state of the device, what has arrived, and what was refused for which reason. */
export function ConnectProgress({ device, connection, state }: ProgressProps) {
  const { text } = useViewer();
  const channels = channelsOf(device);
  return (
    <section className="panel">
      <Head device={device} connection={connection} state={state} />
      <ul className="device-connect-checks">
        <Check
          title={text('connect.check.network')}
          isDone={connection.connected !== null || state === 'live'}
          at={connection.connected?.at}
        >
          {networkWords(connection, state, text)}
        </Check>
        <KeyCheck connection={connection} state={state} />
        <Check title={text('connect.check.reading')} isDone={state === 'live'}>
          <Readings channels={channels} />
        </Check>
      </ul>
      {connection.messages.length > 0 ? (
        <RefusedMessages messages={connection.messages} channels={channels} />
      ) : null}
    </section>
  );
}

function networkWords({ connected }: DeviceConnection, state: ConnectState, text: Text): string {
  if (connected)
    return text('connect.check.network.done', {
      address: connected.from,
      gateway: connected.by.toUpperCase(),
    });
  return text(state === 'live' ? 'connect.check.network.other' : 'connect.check.network.none');
}

function Head({ device, connection, state }: ProgressProps) {
  const { text, time } = useViewer();
  const [openedAt] = useState(() => new Date(serverNow()).toISOString());
  const main = mainChannel(channelsOf(device).filter(({ value }) => value !== null));
  const means = {
    waiting: () =>
      text('connect.state.waiting.means', { interval: formatSetting(device.uploadIntervalS * 1000, text) }),
    'wrong-key': () =>
      text('connect.state.wrong-key.means', {
        count: connection.refused?.attempts ?? 0,
        address: connection.refused?.from ?? '',
      }),
    connected: () => text('connect.state.connected.means'),
    rejected: () => text('connect.state.rejected.means'),
    live: () =>
      text('connect.state.live.means', { time: time(main?.measuredAt ?? openedAt, 'date-time-seconds') }),
  };
  return (
    <header className={`device-connect-head device-connect-${state}`}>
      <span className="device-connect-mark">
        <Icon name={state === 'live' ? 'check' : state === 'waiting' ? 'clock' : 'info'} />
      </span>
      <div role="status">
        <h2>{text(textId(`connect.state.${state}`), { number: device.number })}</h2>
        <p className="secondary">{means[state]()}</p>
      </div>
      <p className="device-connect-figure">
        {state === 'live' && main ? (
          <bdi dir="ltr">{valueWords(main, text)}</bdi>
        ) : (
          <Lasting since={openedAt} />
        )}
      </p>
    </header>
  );
}

function KeyCheck({ connection: { connected, refused }, state }: Omit<ProgressProps, 'device'>) {
  const { text } = useViewer();
  const isDone = refused === null && (connected !== null || state === 'live');
  return (
    <Check title={text('connect.check.key')} isDone={isDone} isWrong={refused !== null} at={refused?.at}>
      {refused
        ? text('connect.check.key.wrong', {
            count: refused.attempts,
            address: refused.from,
            gateway: refused.by.toUpperCase(),
          })
        : text(isDone ? 'connect.check.key.done' : 'connect.check.key.none')}
    </Check>
  );
}

function Check(props: {
  title: string;
  isDone: boolean;
  isWrong?: boolean;
  at?: string | undefined;
  children: ReactNode;
}) {
  const { title, isDone, isWrong = false, at, children } = props;
  return (
    <li className={isWrong ? 'device-connect-wrong' : isDone ? 'device-connect-done' : undefined}>
      <span className="device-connect-mark">
        {isWrong ? <Icon name="close" small /> : isDone ? <Icon name="check" small /> : null}
      </span>
      <h3>{title}</h3>
      <div className="secondary">{children}</div>
      <span className="small tertiary">{at ? <Age since={at} /> : null}</span>
    </li>
  );
}

const keyOf = ({ indicator, sensorIndex }: LiveChannel) => channelKey(indicator, sensorIndex);

function valueWords({ indicator, value }: LiveChannel, text: Text): string {
  if (value === null) return '';
  return INDICATORS[indicator].kind === 'quantity'
    ? withUnit(indicator, value)
    : text(switchLabel(indicator, value));
}

/** The value of each channel that has one, followed by the channels without a value. */
function Readings({ channels }: { channels: readonly LiveChannel[] }) {
  const { text } = useViewer();
  const received = channels.filter(({ measuredAt }) => measuredAt !== null);
  const waited = channels.filter(({ measuredAt }) => measuredAt === null);
  return (
    <>
      {received.length > 0 ? (
        <ul className="device-connect-values">
          {received.map((channel) => (
            <li key={channel.channelId}>
              {channel.name}{' '}
              <bdi dir="ltr" className="strong">
                {valueWords(channel, text)}
              </bdi>{' '}
              <span className="small tertiary">
                <Age since={channel.measuredAt as string} />
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {waited.length > 0
        ? text('connect.check.reading.none', { channels: waited.map(keyOf).join(', ') })
        : null}
    </>
  );
}

function RefusedMessages({
  messages,
  channels,
}: {
  messages: readonly RefusedDeviceMessage[];
  channels: readonly LiveChannel[];
}) {
  const { text } = useViewer();
  return (
    <div className="device-connect-refused">
      <h3>{text('connect.rejected')}</h3>
      <ul>
        {messages.map((message) => (
          <li key={message.id}>
            <div>
              {reasonsOf(message, channels, text).map((reason) => (
                <p key={reason}>{reason}</p>
              ))}
            </div>
            <span className="small tertiary">
              {text('connect.rejected.from', { gateway: message.by.toUpperCase(), address: message.from })} ·{' '}
              <Age since={message.at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function reasonsOf(
  { code, faults }: RefusedDeviceMessage,
  channels: readonly LiveChannel[],
  text: Text,
): string[] {
  if (faults.length > 0)
    return faults.map(({ fault, readings }) =>
      text(`connect.fault.${fault}`, { count: readings, channels: channels.map(keyOf).join(', ') }),
    );
  const fault = /^(?:packet\.)?([a-z-]+)$/.exec(code)?.[1];
  return [text(fault === undefined ? textId(`errors.${code}`) : textId(`packets.fault.${fault}`))];
}
