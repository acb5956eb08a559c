import {
  ALERTOR_USERNAME,
  type AlertorMessage,
  type AlertorResult,
  alertorAcknowledgeTopic,
  alertorConfirmTopic,
  alertorReport,
  alertorResultTopic,
  alertorStateTopic,
} from '@isotherm/contracts/alertors';
import { jsonOf } from '../platform/json.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { MqttOutcome } from './mqtt-acknowledgements.ts';
import { type MqttApplication, type MqttClient, REASON } from './mqtt-connection.ts';

const MQTT_5 = 5;

interface Alertor {
  id: number;
  serial: string;
  keyHash: Buffer;
}

/** Serves connected alertors (features/alarms/alertors/alertor-desk.ts). */
export interface Alertors {
  authenticate(serial: string, key: string): Promise<Alertor | null>;
  open(
    alertor: Alertor,
    link: { deliver: (message: AlertorMessage) => void; hangUp: () => void },
  ): () => void;
  confirmed(alertor: Alertor, shownId: number): Promise<void>;
  pressed(alertor: Alertor, shownId: number, address: string): Promise<AlertorResult>;
}

interface AlertorSession {
  alertor: Alertor;
  /** Ends the delivery; set once the alertor has subscribed. */
  leave: (() => void) | null;
}

type Either<S> = { device: S; alertor?: never } | { alertor: AlertorSession; device?: never };

/** Serves alertors beside devices: they are told apart by their user names. */
export function withAlertors<S>(
  devices: MqttApplication<S>,
  alertors: Alertors,
  metrics: Pick<Metrics, 'refusedLogins'>,
): MqttApplication<Either<S>> {
  function subscribe(client: MqttClient, session: AlertorSession, filter: string): boolean | 'qos-1' {
    const { serial } = session.alertor;
    if (filter === alertorResultTopic(serial)) return true;
    if (filter !== alertorStateTopic(serial)) return false;
    session.leave ??= alertors.open(session.alertor, {
      deliver: (message) => client.send(filter, Buffer.from(JSON.stringify(message)), 1),
      hangUp: () => client.close(REASON.notAuthorized),
    });
    return 'qos-1';
  }

  async function take(
    client: MqttClient,
    { alertor }: AlertorSession,
    topic: string,
    payload: Buffer,
  ): Promise<MqttOutcome | null> {
    const { serial } = alertor;
    const isConfirmation = topic === alertorConfirmTopic(serial);
    if (!isConfirmation && topic !== alertorAcknowledgeTopic(serial)) {
      if (client.version !== MQTT_5) throw new Error(`topic ${topic} is not this alertor's`);
      return { code: REASON.notAuthorized, reason: "not this alertor's topic" };
    }
    const report = alertorReport.safeParse(jsonOf(payload));
    if (!report.success) return { code: REASON.payloadFormatInvalid, reason: 'no id' };
    if (isConfirmation) await alertors.confirmed(alertor, report.data.id);
    else {
      const result = await alertors.pressed(alertor, report.data.id, client.address);
      client.send(alertorResultTopic(serial), Buffer.from(JSON.stringify(result)));
    }
    return null;
  }

  return {
    async authenticate(client, username = '', password) {
      if (!username.startsWith(ALERTOR_USERNAME)) {
        const known = await devices.authenticate(client, username, password);
        return known && { session: { device: known.session }, name: known.name };
      }
      const serial = username.slice(ALERTOR_USERNAME.length);
      const alertor = await alertors.authenticate(serial, password?.toString('utf8') ?? '');
      if (!alertor) {
        metrics.refusedLogins.inc({ gateway: 'mqtt' });
        return null;
      }
      return { session: { alertor: { alertor, leave: null } }, name: `${ALERTOR_USERNAME}${alertor.serial}` };
    },
    publish: (client, session, topic, payload) =>
      session.alertor
        ? take(client, session.alertor, topic, payload)
        : devices.publish(client, session.device, topic, payload),
    maySubscribe: (client, session, filter) =>
      session.alertor
        ? subscribe(client, session.alertor, filter)
        : devices.maySubscribe(client, session.device, filter),
    unsubscribed(session, filter) {
      if (!session.alertor) return devices.unsubscribed(session.device, filter);
      if (filter !== alertorStateTopic(session.alertor.alertor.serial)) return;
      session.alertor.leave?.();
      session.alertor.leave = null;
    },
    ended(session) {
      if (session.alertor) session.alertor.leave?.();
      else devices.ended(session.device);
    },
  };
}
