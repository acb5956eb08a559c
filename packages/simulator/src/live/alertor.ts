import {
  ALERTOR_USERNAME,
  type AlertorMessage,
  alertorAcknowledgeTopic,
  alertorConfirmTopic,
  alertorMessage,
  alertorResult,
  alertorResultTopic,
  alertorStateTopic,
} from '@isotherm/contracts/alertors';
import mqtt from 'mqtt';

const RETRY_MS = 2_000;

/** A simulated siren that is connected over MQTT. */
export interface SimulatedAlertor {
  /** Presses the acknowledge button. Does nothing while there is no alarm. */
  press(): void;
  close(): Promise<void>;
}

/**
 * Connects an alertor, which confirms what it shows and reports it in words. `onAlarm` is called when it begins to show
 * an alarm.
 */
export function startAlertor({
  mqttUrl,
  serial,
  key,
  say,
  onAlarm = () => undefined,
}: {
  mqttUrl: string;
  serial: string;
  key: string;
  say: (text: string) => void;
  onAlarm?: () => void;
}): SimulatedAlertor {
  let shown: AlertorMessage | null = null;
  const client = mqtt.connect(mqttUrl, {
    protocolVersion: 4,
    clientId: `alertor-${serial}`,
    username: `${ALERTOR_USERNAME}${serial}`,
    password: key,
    keepalive: 60,
    reconnectPeriod: RETRY_MS,
    resubscribe: false,
  });
  const topics = [alertorStateTopic(serial), alertorResultTopic(serial)];
  client.on('connect', () => client.subscribe(topics, { qos: 1 }));
  // The client reconnects automatically, but a wrong key stays wrong.
  client.on('error', ({ message }) => {
    say(`alertor ${serial}: ${message}`);
    if (message.startsWith('Connection refused')) client.end();
  });
  client.on('message', (topic, payload) => {
    const said: unknown = JSON.parse(payload.toString());
    if (topic === alertorResultTopic(serial)) {
      const { acknowledged, refused } = alertorResult.parse(said);
      say(`alertor ${serial}: button, ${acknowledged} acknowledged, ${refused} refused`);
      return;
    }
    const message = alertorMessage.parse(said);
    client.publish(alertorConfirmTopic(serial), JSON.stringify({ id: message.id }), { qos: 1 });
    if (message.id === shown?.id) return;
    const isNew = message.level > (shown?.level ?? 0);
    shown = message;
    say(`alertor ${serial}: ${wordsOf(message)}`);
    if (isNew) onAlarm();
  });
  return {
    press() {
      if (shown && shown.level > 0)
        client.publish(alertorAcknowledgeTopic(serial), JSON.stringify({ id: shown.id }), { qos: 1 });
    },
    close: () => new Promise((resolve) => client.end(true, {}, () => resolve())),
  };
}

const wordsOf = ({ level, light, colour, sound, alarms }: AlertorMessage): string =>
  level === 0
    ? 'dark and silent'
    : `level ${level}, ${alarms} alarms: light ${light} ${colour}, sound ${sound}`;
