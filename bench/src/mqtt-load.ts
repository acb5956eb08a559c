import { connect, type Socket } from 'node:net';
import { readingsTopic } from '@isotherm/contracts/ingest';
import mqttPacket from 'mqtt-packet';
import type { BenchDevice } from './bench-fleet.ts';

const PLACEHOLDER = '1700000000000';
const PUBACK = 0x40;
const PUBACK_BYTES = 4;
const CONNACK_BYTES = 4;
const MOMENT_MS = 10;
const IDS = 65_535;

/** A device on one socket that sends readings in pre-encoded QoS 1 frames. */
export interface MqttSender {
  /** Number of messages without an acknowledgement. */
  readonly outstanding: number;
  /** Writes `count` messages at once. */
  send(count: number): void;
  /** Sends one reading of a channel with the given value. */
  sendReading(channel: string, value: number): void;
  close(): void;
}

export interface Acknowledgement {
  sender: MqttSender;
  /** Milliseconds from the write to the PUBACK. */
  tookMs: number;
}

export async function openSender(
  port: number,
  device: BenchDevice,
  startMs: number,
  onAcknowledged: (acknowledgement: Acknowledgement) => void,
  onLost: () => void,
  readingsPerMessage = 1,
): Promise<MqttSender> {
  const socket = await open(port, device);
  const topic = readingsTopic(device.number);
  const frames: Frame[] = [];
  for (let from = 0; from < device.channels.length; from += readingsPerMessage)
    frames.push(
      publishFrame(topic, device.channels.slice(from, from + readingsPerMessage), 4 + (from % 20) / 10),
    );
  const sentAt = new Float64Array(IDS + 1);
  let id = 0;
  let at = startMs;
  let turn = 0;
  let outstanding = 0;
  let closing = false;

  const write = (frame: Frame, bytes: Buffer, offset: number, measuredAt: number) => {
    frame.bytes.copy(bytes, offset);
    id = id === IDS ? 1 : id + 1;
    bytes.writeUInt16BE(id, offset + frame.idAt);
    for (const timeAt of frame.timesAt) bytes.write(String(measuredAt), offset + timeAt, 'latin1');
    sentAt[id] = performance.now();
    outstanding++;
    return offset + frame.bytes.length;
  };

  const sender: MqttSender = {
    get outstanding() {
      return outstanding;
    },
    send(count) {
      const chosen = Array.from({ length: count }, (_, i) => frames[(turn + i) % frames.length]!);
      turn += count;
      const bytes = Buffer.allocUnsafe(chosen.reduce((sum, frame) => sum + frame.bytes.length, 0));
      let offset = 0;
      for (const frame of chosen) {
        offset = write(frame, bytes, offset, at);
        at += MOMENT_MS;
      }
      socket.write(bytes);
    },
    sendReading(channel, value) {
      const frame = publishFrame(topic, [channel], value);
      const bytes = Buffer.allocUnsafe(frame.bytes.length);
      write(frame, bytes, 0, Date.now());
      socket.write(bytes);
    },
    close() {
      closing = true;
      socket.destroy();
    },
  };

  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const now = performance.now();
    let offset = 0;
    for (; offset + PUBACK_BYTES <= data.length; offset += PUBACK_BYTES) {
      // Only PUBACKs are expected, because the sender has no subscriptions.
      if (data[offset] !== PUBACK) throw new Error(`unexpected MQTT packet ${data[offset]}`);
      outstanding--;
      onAcknowledged({ sender, tookMs: now - sentAt[data.readUInt16BE(offset + 2)]! });
    }
    rest = data.subarray(offset);
  });
  socket.on('close', () => {
    if (!closing) onLost();
  });
  return sender;
}

interface Frame {
  bytes: Buffer;
  idAt: number;
  timesAt: number[];
}

/**
 * Returns a PUBLISH frame with one reading per channel, and the offsets of message id and times for
 * overwriting.
 */
export function publishFrame(topic: string, channels: readonly string[], value: number): Frame {
  const readings = channels.map((channel) => `{"channel":"${channel}","at":${PLACEHOLDER},"value":${value}}`);
  const payload = `{"readings":[${readings.join()}]}`;
  const bytes = mqttPacket.generate({
    cmd: 'publish',
    topic,
    payload,
    qos: 1,
    messageId: 1,
    dup: false,
    retain: false,
  });
  const payloadAt = bytes.length - Buffer.byteLength(payload);
  const timesAt: number[] = [];
  for (let at = bytes.indexOf(PLACEHOLDER, payloadAt); at !== -1; at = bytes.indexOf(PLACEHOLDER, at + 1))
    timesAt.push(at);
  return { bytes, idAt: payloadAt - 2, timesAt };
}

/** Connects and authenticates a device. */
export function open(port: number, device: BenchDevice): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the broker closed the connection')));
    socket.once('connect', () => {
      socket.write(
        mqttPacket.generate({
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: 4,
          clean: true,
          clientId: device.number,
          username: device.number,
          password: Buffer.from(device.key),
          // Senders may be idle for minutes, and send no pings.
          keepalive: 0,
        }),
      );
    });
    socket.once('data', (chunk: Buffer) => {
      if (chunk.length !== CONNACK_BYTES || chunk[3] !== 0)
        return reject(new Error('the broker refused the device'));
      resolve(socket);
    });
  });
}
