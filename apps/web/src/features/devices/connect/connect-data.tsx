import type { DeviceConnection } from '@isotherm/contracts/device-connection';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { channelKey, INGEST_PATH, readingsTopic } from '@isotherm/contracts/ingest';
import Segmented from 'antd/es/segmented';
import { type ReactNode, useId, useState } from 'react';
import { formatSetting } from '../../../shared/format/duration.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { CopyButton } from '../../../shared/ui/one-time-secret.tsx';
import { EXAMPLE_NAMES, EXAMPLES, type Example, exampleCode, KEY_PLACEHOLDER } from './connect-examples.ts';
import { rememberedKey } from './connect-keys.ts';
import { channelsOf, mainChannel } from './connect-state.ts';

interface DataProps {
  device: DeviceDetail;
  connection: DeviceConnection;
}

/** Returns the MQTT port; MQTT over TLS if the server has a certificate. */
function mqttOf({ address }: DeviceConnection): { port: number; isTls: boolean } | null {
  if (address.mqtts !== null) return { port: address.mqtts, isTls: true };
  return address.mqtt === null ? null : { port: address.mqtt, isTls: false };
}

const hostOf = ({ address }: DeviceConnection) => address.host ?? location.hostname;

/**
 * Returns the address for devices: the console's own origin, or the same with a separate host name for
 * devices if one is configured.
 */
function originOf({ address }: DeviceConnection): string {
  if (address.host === null) return location.origin;
  const origin = new URL(location.origin);
  origin.hostname = address.host;
  return origin.origin;
}

/** Shows the data that the user enters in the device. */
export function ConnectionData({ device, connection }: DataProps) {
  const { text } = useViewer();
  const mqtt = mqttOf(connection);
  const keys = channelsOf(device).map(({ indicator, sensorIndex }) => channelKey(indicator, sensorIndex));
  return (
    <section className="panel device-connect-data">
      <h2>{text('connect.data')}</h2>
      <dl>
        <Line label={text('connect.data.server')} value={hostOf(connection)} />
        {mqtt ? <Line label={mqtt.isTls ? 'MQTT (TLS)' : 'MQTT'} value={String(mqtt.port)} /> : null}
        <Line label="HTTP" value={`${originOf(connection)}${INGEST_PATH}`} />
        {connection.address.tcp === null ? null : (
          <Line label={text('connect.data.tcp')} value={String(connection.address.tcp)} />
        )}
        <Line label={text('connect.data.user')} value={device.number} />
        <Line label={text('connect.data.password')}>{text('connect.data.password.key')}</Line>
        <Line label={text('mappings.connect.topic')} value={readingsTopic(device.number)} />
        <Line label={text('connect.data.channels')} value={keys.join(', ')} />
        <Line label={text('devices.acquisition')}>
          {formatSetting(device.acquisitionIntervalS * 1000, text)}
        </Line>
        <Line label={text('devices.upload')}>{formatSetting(device.uploadIntervalS * 1000, text)}</Line>
      </dl>
    </section>
  );
}

/** A line of the connection data. With `value` it has a button to copy it. */
function Line({ label, value, children }: { label: string; value?: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value === undefined ? (
          children
        ) : (
          <>
            <bdi dir="ltr" className="number">
              {value}
            </bdi>
            <CopyButton value={value} of={label} compact />
          </>
        )}
      </dd>
    </div>
  );
}

/** Code examples with the real addresses, ready to run. */
export function ConnectExamples({ device, connection }: DataProps) {
  const { text } = useViewer();
  const id = useId();
  const [example, setExample] = useState<Example>('curl');
  const [key, setKey] = useState(() => rememberedKey(device.number));
  const mqtt = mqttOf(connection);
  const channel = mainChannel(channelsOf(device));
  if (!channel) return null;
  const offered = EXAMPLES.filter((each) => mqtt !== null || each === 'curl' || each === 'python');
  const code = exampleCode(example, {
    origin: originOf(connection),
    host: hostOf(connection),
    mqtt: mqtt ?? { port: 0, isTls: false },
    number: device.number,
    key: key.trim() || KEY_PLACEHOLDER,
    channel,
  });
  return (
    <section className="panel device-connect-examples">
      <h2>{text('connect.examples')}</h2>
      <p className="secondary">{text('connect.examples.means')}</p>
      <label className="field-label" htmlFor={id}>
        {text('connect.examples.key')}
      </label>
      <div className="field">
        <input
          id={id}
          type="text"
          value={key}
          autoComplete="off"
          spellCheck={false}
          maxLength={128}
          placeholder={KEY_PLACEHOLDER}
          onChange={(event) => setKey(event.target.value)}
        />
      </div>
      <p className="form-help">{text('connect.examples.key.help')}</p>
      <Segmented
        className="device-connect-choices"
        value={example}
        onChange={setExample}
        options={offered.map((value) => ({ value, label: EXAMPLE_NAMES[value] }))}
      />
      <div className="secret device-connect-code">
        <pre>{code}</pre>
        <CopyButton value={code} of={EXAMPLE_NAMES[example]} />
      </div>
    </section>
  );
}

const ADVICE = ['power', 'network', 'address', 'firewall'] as const;

/** Advice for the case that no message arrives. */
export function ConnectHelp() {
  const { text } = useViewer();
  return (
    <section className="panel device-connect-data">
      <h2>{text('connect.help')}</h2>
      <ul>
        {ADVICE.map((each) => (
          <li key={each}>{text(`connect.help.${each}`)}</li>
        ))}
      </ul>
    </section>
  );
}
