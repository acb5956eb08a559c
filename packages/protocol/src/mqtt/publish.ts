import { MALFORMED_PACKET, MqttFault, type MqttFrame, PROTOCOL_ERROR } from './frames.ts';

/** A PUBLISH packet (MQTT 3.1.1 and 5, section 3.3). */
export interface MqttPublish {
  topic: string;
  /** Packet identifier; 0 for QoS 0. */
  messageId: number;
  qos: 0 | 1 | 2;
  /** The payload. It shares memory with the packet. */
  payload: Buffer;
}

const LONGEST_LENGTH = 4;

/**
 * Parses a PUBLISH packet, by far the most frequent type; the library parses the others. Properties of MQTT
 * 5 are skipped, because none changes the meaning of a reading, and topic aliases are not offered. Throws
 * `MqttFault`.
 */
export function readPublish({ bytes, bodyAt }: MqttFrame, version: number): MqttPublish {
  const qos = ((bytes[0] as number) >> 1) & 3;
  if (qos === 3) throw malformed();
  const topicAt = bodyAt + 2;
  const topicEnd = topicAt + readUint16(bytes, bodyAt);
  let payloadAt = topicEnd + (qos === 0 ? 0 : 2);
  if (payloadAt > bytes.length) throw malformed();
  const topic = bytes.toString('utf8', topicAt, topicEnd);
  // A PUBLISH without a topic would use a topic alias. Wildcards are not allowed in a topic name (3.3.2.1).
  if (topic === '' || topic.includes('#') || topic.includes('+'))
    throw new MqttFault('not a topic name', PROTOCOL_ERROR);
  const messageId = qos === 0 ? 0 : bytes.readUInt16BE(topicEnd);
  if (qos > 0 && messageId === 0) throw new MqttFault('packet identifier 0', PROTOCOL_ERROR);
  if (version === 5) payloadAt = skipProperties(bytes, payloadAt);
  return { topic, messageId, qos: qos as 0 | 1 | 2, payload: bytes.subarray(payloadAt) };
}

function skipProperties(bytes: Buffer, from: number): number {
  let length = 0;
  for (let place = 0; place < LONGEST_LENGTH; place++) {
    const byte = bytes[from + place];
    if (byte === undefined) throw malformed();
    length += (byte & 0x7f) * 128 ** place;
    if (byte & 0x80) continue;
    const end = from + place + 1 + length;
    if (end > bytes.length) throw malformed();
    return end;
  }
  throw malformed();
}

function readUint16(bytes: Buffer, at: number): number {
  if (at + 2 > bytes.length) throw malformed();
  return bytes.readUInt16BE(at);
}

const malformed = () => new MqttFault('malformed PUBLISH', MALFORMED_PACKET);

/** Returns whether a topic matches a subscription filter (MQTT section 4.7). */
export function matchesFilter(filter: string, topic: string): boolean {
  if (filter === topic) return true;
  // Topics that start with $ belong to the server, so a leading wildcard does not match them (4.7.2).
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return index === wanted.length - 1;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
