/**
 * Splits a stream of bytes into MQTT packets (MQTT 3.1.1 and 5, section 2: fixed header, remaining length,
 * rest). Packets that arrived in one piece are not copied. A length above the limit is refused before any of
 * it is buffered, because the protocol allows 256 MB per packet, even from unauthenticated clients.
 */
export interface MqttFrames {
  push(chunk: Buffer): void;
  /**
   * Returns the next complete packet, or null until more has arrived. Throws `MqttFault` if a length is
   * malformed or above `maxBytes`. After that, nothing can be read from the stream.
   */
  next(maxBytes: number): MqttFrame | null;
}

export interface MqttFrame {
  /** The complete packet. It may share memory with other packets. */
  bytes: Buffer;
  /** Position of the part after the fixed header. */
  bodyAt: number;
}

/** A protocol violation. `code` is its reason code in MQTT 5. */
export class MqttFault extends Error {
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.name = 'MqttFault';
    this.code = code;
  }
}

export const MALFORMED_PACKET = 0x81;
export const PROTOCOL_ERROR = 0x82;
export const PACKET_TOO_LARGE = 0x95;

const CONTINUES = 0x80;
const MAX_LENGTH_BYTES = 4;
const NOTHING = Buffer.alloc(0);

export function createMqttFrames(): MqttFrames {
  let buffer: Buffer = NOTHING;
  let offset = 0;
  /** Chunks after `buffer`. They are concatenated once the packet that started in `buffer` is complete. */
  let later: Buffer[] = [];
  let laterBytes = 0;
  /** Smallest number of bytes from `offset` on that the next packet needs. */
  let needed = 0;

  function join(): void {
    buffer = Buffer.concat([buffer.subarray(offset), ...later]);
    offset = 0;
    later = [];
    laterBytes = 0;
  }

  return {
    push(chunk) {
      if (offset === buffer.length && later.length === 0) {
        buffer = chunk;
        offset = 0;
      } else {
        later.push(chunk);
        laterBytes += chunk.length;
      }
    },
    next(maxBytes) {
      for (;;) {
        const available = buffer.length - offset;
        if (available < needed) {
          if (available + laterBytes < needed) return null;
          join();
        }
        const header = readLength(buffer, offset, maxBytes);
        needed = header.bodyAt - offset + header.length;
        if (header.isComplete && buffer.length - offset >= needed) {
          const bytes = buffer.subarray(offset, offset + needed);
          const bodyAt = header.bodyAt - offset;
          offset += needed;
          needed = 2;
          return { bytes, bodyAt };
        }
      }
    },
  };
}

interface Header {
  /** False if bytes of the length field are missing; `bodyAt` is then the position after the next byte. */
  isComplete: boolean;
  bodyAt: number;
  length: number;
}

function readLength(buffer: Buffer, offset: number, maxBytes: number): Header {
  let length = 0;
  for (let place = 0; place < MAX_LENGTH_BYTES; place++) {
    const at = offset + 1 + place;
    if (at >= buffer.length) return { isComplete: false, bodyAt: at + 1, length: 0 };
    const byte = buffer[at] as number;
    length += (byte & ~CONTINUES) * 128 ** place;
    if (length > maxBytes) throw new MqttFault('packet too large', PACKET_TOO_LARGE);
    if ((byte & CONTINUES) === 0) return { isComplete: true, bodyAt: at + 1, length };
  }
  throw new MqttFault('malformed remaining length', MALFORMED_PACKET);
}
