import mqttPacket from 'mqtt-packet';

/** Result of a message; MQTT 5 clients get it in the acknowledgement. */
export interface MqttOutcome {
  /** Reason code: 0, or an error code if nothing of the message was accepted. */
  code: number;
  reason: string;
}

/** A message that waits for its acknowledgement. */
export interface Expected {
  readonly messageId: number;
  readonly qos: 1 | 2;
  isDone: boolean;
  outcome: MqttOutcome | null;
}

export interface MqttAcknowledgements {
  /** Must be called in the order in which the messages came. */
  expect(messageId: number, qos: 1 | 2): Expected;
  settle(entry: Expected, outcome: MqttOutcome | null): void;
}

interface Options {
  version: number;
  /** False if an MQTT 5 client has disabled reason strings (3.1.2.11.7). */
  tellsReasons: boolean;
  write(bytes: Buffer): void;
}

const PUBACK = 0x40;
const PUBREC = 0x50;
const ACKNOWLEDGEMENT_BYTES = 4;
const MQTT_5 = 5;

/**
 * Creates the acknowledgements of one connection, in the order of its messages (MQTT 3.1.1 and 5, 4.6). One
 * commit makes many messages durable, so all acknowledgements of one turn of the event loop are written
 * together.
 */
export function createMqttAcknowledgements({ version, tellsReasons, write }: Options): MqttAcknowledgements {
  let entries: Expected[] = [];
  /** Index of the first entry that is not acknowledged yet. */
  let first = 0;
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    const from = first;
    while (first < entries.length && (entries[first] as Expected).isDone) first++;
    if (first === from) return;
    const done = entries.slice(from, first);
    if (first === entries.length || first > 1_000) {
      entries = entries.slice(first);
      first = 0;
    }
    for (const bytes of encode(done)) write(bytes);
  }

  function* encode(done: readonly Expected[]): Generator<Buffer> {
    let plain: Expected[] = [];
    for (const entry of done) {
      if (version !== MQTT_5 || entry.outcome === null) plain.push(entry);
      else {
        if (plain.length > 0) yield encodePlain(plain);
        plain = [];
        yield encodeReason(entry, entry.outcome);
      }
    }
    if (plain.length > 0) yield encodePlain(plain);
  }

  function encodeReason({ messageId, qos }: Expected, { code, reason }: MqttOutcome): Buffer {
    return mqttPacket.generate(
      {
        cmd: qos === 1 ? 'puback' : 'pubrec',
        messageId,
        reasonCode: code,
        properties: tellsReasons ? { reasonString: reason } : {},
      },
      { protocolVersion: version },
    );
  }

  return {
    expect(messageId, qos) {
      const entry: Expected = { messageId, qos, isDone: false, outcome: null };
      entries.push(entry);
      return entry;
    },
    settle(entry, outcome) {
      entry.isDone = true;
      entry.outcome = outcome;
      if (isScheduled || entries[first]?.isDone !== true) return;
      isScheduled = true;
      setImmediate(flush);
    },
  };
}

/** Encodes the short form, which in MQTT 5 means success. */
function encodePlain(entries: readonly Expected[]): Buffer {
  const bytes = Buffer.allocUnsafe(entries.length * ACKNOWLEDGEMENT_BYTES);
  for (const [index, { messageId, qos }] of entries.entries()) {
    const at = index * ACKNOWLEDGEMENT_BYTES;
    bytes[at] = qos === 1 ? PUBACK : PUBREC;
    bytes[at + 1] = 2;
    bytes.writeUInt16BE(messageId, at + 2);
  }
  return bytes;
}
