import { chosenAttributes } from '@isotherm/domain/devices/client-attributes';
import type { HardwareMessages } from '@isotherm/protocol/hardware/hardware-message';
import {
  readAttributes,
  readGatewayAttributes,
  readGatewayTelemetry,
  readTelemetry,
} from '@isotherm/protocol/hardware/thingsboard';
import {
  type AttributeRequest,
  readAttributeRequest,
  readGatewayAttributeRequest,
  readGatewayDevice,
  readGatewayRpcAnswer,
} from '@isotherm/protocol/hardware/thingsboard-requests';
import type { ThingsboardTopic } from '@isotherm/protocol/hardware/thingsboard-topics';
import { matchesFilter } from '@isotherm/protocol/mqtt/publish';
import type {
  DeviceAttributes,
  DeviceDirectory,
  DeviceFirmware,
  Downlink,
  KnownDevice,
} from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import { jsonOf } from '../platform/json.ts';
import type { DeviceWatch } from './device-watch.ts';
import { type BehindFeed, createDevicesBehind } from './devices-behind.ts';
import { readChunk } from './firmware-downloads.ts';
import type { MqttClient } from './mqtt-connection.ts';
import { type MqttIntake, refusalOf } from './mqtt-intake.ts';
import type { SharedAttributes } from './shared-attributes.ts';
import { answerCall, MAX_RPC_BYTES, rpcAnswerOf, rpcOf } from './thingsboard-rpc.ts';

export interface ThingsboardParts {
  ingest: Pick<Ingest, 'refuse'>;
  hardware: HardwareIngest;
  intake: Pick<MqttIntake, 'whenThereIsRoom'>;
  directory: Pick<DeviceDirectory, 'findByName'>;
  downlink: Downlink;
  firmware: DeviceFirmware;
  attributes: DeviceAttributes;
  shared: SharedAttributes;
  /** Watch for changes of devices behind gateways. */
  devices: DeviceWatch;
  clock: Clock;
}

/** One connection's use of the ThingsBoard device API over MQTT. */
export interface ThingsboardSession {
  /** Resolves when the message may be acknowledged; rejects if it must be sent again. */
  take(topic: ThingsboardTopic, sender: KnownDevice, payload: Buffer): Promise<void>;
  subscribed(filter: string): void;
  unsubscribed(filter: string): void;
  end(): void;
}

/** Maximum size of a request for attributes. */
const MAX_REQUEST_BYTES = 16 * 1024;
const GATEWAY_TOPICS: Readonly<Record<BehindFeed, string>> = {
  rpc: 'v1/gateway/rpc',
  attributes: 'v1/gateway/attributes',
};
const GATEWAY_ATTRIBUTES_ANSWER = 'v1/gateway/attributes/response';

export function openThingsboardSession(
  parts: ThingsboardParts,
  client: MqttClient,
  device: KnownDevice,
): ThingsboardSession {
  const { ingest, hardware, intake, directory, downlink, firmware, attributes, shared, clock } = parts;
  const filters = new Set<string>();
  const open = new Map<string, () => void>();
  /**
   * Requests of a connection are processed one after another, so that one device does not occupy the
   * database.
   */
  let turn: Promise<void> = Promise.resolve();

  const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
  const behind = createDevicesBehind(parts, device, (feed, message) =>
    client.send(GATEWAY_TOPICS[feed], bytesOf(message)),
  );

  /** Data that is delivered as long as the device has a subscription to the topic. */
  const feeds = new Map<string, () => () => void>([
    ...['v1/devices/me/rpc/request/', 'v2/r/req/', 'v2/r/req/j/'].map(
      (prefix) =>
        [
          `${prefix}0`,
          () =>
            downlink.open(
              device,
              (command) => client.send(prefix + command.id, bytesOf(rpcOf(command))),
              // A firmware is offered by attributes instead, as in ThingsBoard.
              ({ kind }) => kind !== 'firmware',
            ),
        ] as const,
    ),
    ...['v1/devices/me/attributes', 'v2/a', 'v2/a/j'].map(
      (topic) =>
        [topic, () => shared.follow(device, (changes) => client.send(topic, bytesOf(changes)))] as const,
    ),
    ...(['rpc', 'attributes'] as const).map(
      (feed) => [GATEWAY_TOPICS[feed], () => behind.deliver(feed)] as const,
    ),
  ]);

  function adjust(): void {
    for (const [topic, begin] of feeds) {
      const isWanted = [...filters].some((filter) => matchesFilter(filter, topic));
      if (isWanted && !open.has(topic)) open.set(topic, begin());
      if (isWanted || !open.has(topic)) continue;
      open.get(topic)?.();
      open.delete(topic);
    }
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function takeValues(
    sender: KnownDevice,
    payload: Buffer,
    how: { read: (payload: unknown) => HardwareMessages; isGateway: boolean; isKept: boolean },
  ): Promise<void> {
    const find = (name: string | null) =>
      how.isGateway && name !== null ? directory.findByName(sender.id, name) : sender;
    const receivedAt = clock.now();
    let dropped = 0;
    const keep = async (deviceId: number, values: Readonly<Record<string, unknown>>) => {
      dropped += await attributes.keep(deviceId, values);
    };
    const work = () =>
      intake.whenThereIsRoom(() =>
        hardware.take({
          gateway: 'mqtt',
          address: client.address,
          sender,
          payload,
          receivedAt,
          read: how.read,
          find,
          ...(how.isKept ? { keep } : {}),
        }),
      );
    try {
      await (how.isKept ? inTurn(async () => void (await work())) : work());
    } catch (error) {
      refusalOf(error);
    }
    if (dropped > 0) refuse(sender, payload, 'attributes-dropped');
  }

  function refuse(sender: KnownDevice, payload: Buffer, code: string): void {
    ingest.refuse({ gateway: 'mqtt', address: client.address, device: sender, payload }, code);
  }

  /**
   * Returns the JSON of a request; if it is too long or invalid, returns undefined and the message is kept
   * for inspection.
   */
  function requestOf(sender: KnownDevice, payload: Buffer, most: number): unknown {
    if (payload.length <= most) return jsonOf(payload);
    refuse(sender, payload, 'request.too_large');
    return undefined;
  }

  async function chosen(deviceId: number, asked: AttributeRequest) {
    const isAsked = (keys: AttributeRequest['client']) => keys === 'all' || keys.size > 0;
    return {
      client: isAsked(asked.client) ? chosenAttributes(await attributes.client(deviceId), asked.client) : {},
      shared: isAsked(asked.shared) ? chosenAttributes(await attributes.shared(deviceId), asked.shared) : {},
    };
  }

  async function answerAttributes(sender: KnownDevice, payload: Buffer, answerTopic: string): Promise<void> {
    // An empty message is a request without keys.
    const request = payload.length === 0 ? {} : requestOf(sender, payload, MAX_REQUEST_BYTES);
    const asked = readAttributeRequest(request);
    if (!asked) refuse(sender, payload, 'request.malformed');
    const found = asked ? await chosen(sender.id, asked) : { client: {}, shared: {} };
    // Scopes without values are omitted, but the response is always sent, because the device would wait for
    // it.
    client.reply(
      answerTopic,
      bytesOf(
        Object.fromEntries(Object.entries(found).filter(([, values]) => Object.keys(values).length > 0)),
      ),
    );
  }

  async function answerGatewayAttributes(sender: KnownDevice, payload: Buffer): Promise<void> {
    const request = readGatewayAttributeRequest(requestOf(sender, payload, MAX_REQUEST_BYTES));
    if (!request) return refuse(sender, payload, 'request.malformed');
    const { id, device: name, asked, isSingle } = request;
    const found = await directory.findByName(sender.id, name);
    if (!found) refuse(sender, payload, 'unknown-device');
    const { client: own, shared: given } = found ? await chosen(found.id, asked) : { client: {}, shared: {} };
    const values: Record<string, unknown> = { ...own, ...given };
    client.reply(
      GATEWAY_ATTRIBUTES_ANSWER,
      bytesOf({ id, device: name, ...(isSingle ? { value: Object.values(values)[0] } : { values }) }),
    );
  }

  async function takeRpcAnswer(sender: KnownDevice, payload: Buffer, id: number): Promise<void> {
    const answer = payload.length > MAX_RPC_BYTES ? null : rpcAnswerOf(id, jsonOf(payload));
    if (!answer) return refuse(sender, payload, 'request.malformed');
    await downlink.answered(sender.id, answer);
  }

  async function takeGatewayRpc(sender: KnownDevice, payload: Buffer): Promise<void> {
    const said = readGatewayRpcAnswer(requestOf(sender, payload, MAX_RPC_BYTES));
    const answer = said && rpcAnswerOf(said.id, said.data);
    if (!answer) return refuse(sender, payload, 'request.malformed');
    const found = await directory.findByName(sender.id, said.device);
    if (!found) return refuse(sender, payload, 'unknown-device');
    await downlink.answered(found.id, answer);
  }

  async function takeConnection(sender: KnownDevice, payload: Buffer, isConnected: boolean): Promise<void> {
    const name = readGatewayDevice(requestOf(sender, payload, MAX_RPC_BYTES));
    if (name === null) return refuse(sender, payload, 'request.malformed');
    if (!isConnected) return behind.disconnect(name);
    if (!(await behind.connect(name))) refuse(sender, payload, 'unknown-device');
  }

  return {
    take(topic, sender, payload) {
      switch (topic.kind) {
        case 'telemetry':
          return takeValues(sender, payload, { read: readTelemetry, isGateway: false, isKept: false });
        case 'attributes':
          return takeValues(sender, payload, { read: readAttributes, isGateway: false, isKept: true });
        case 'gateway-telemetry':
          return takeValues(sender, payload, { read: readGatewayTelemetry, isGateway: true, isKept: false });
        case 'gateway-attributes':
          return takeValues(sender, payload, { read: readGatewayAttributes, isGateway: true, isKept: true });
        case 'attribute-request':
          return inTurn(() => answerAttributes(sender, payload, topic.answerTopic));
        case 'gateway-attribute-request':
          return inTurn(() => answerGatewayAttributes(sender, payload));
        case 'rpc-call':
          return inTurn(async () =>
            client.reply(topic.answerTopic, bytesOf(answerCall(payload, clock.now()))),
          );
        case 'rpc-answer':
          return inTurn(() => takeRpcAnswer(sender, payload, topic.id));
        case 'gateway-rpc':
          return inTurn(() => takeGatewayRpc(sender, payload));
        case 'firmware-chunk':
          return inTurn(async () => {
            // A request for a chunk that is not available gets no response, as in ThingsBoard.
            const part = await readChunk(firmware, sender.id, topic.chunk, payload);
            if (part) client.reply(topic.answerTopic, part);
          });
        case 'gateway-connect':
          return inTurn(() => takeConnection(sender, payload, true));
        case 'gateway-disconnect':
          return inTurn(() => takeConnection(sender, payload, false));
        case 'claim':
        case 'gateway-claim':
          // Devices are registered in an organisation before they connect, so a claim has no effect.
          return Promise.resolve();
      }
    },
    subscribed(filter) {
      filters.add(filter);
      adjust();
    },
    unsubscribed(filter) {
      filters.delete(filter);
      adjust();
    },
    end() {
      filters.clear();
      adjust();
      behind.end();
    },
  };
}
