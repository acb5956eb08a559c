/**
 * Watches the lengths that MQTT packets announce, before anybody buffers them: the protocol allows 256 MB a
 * packet (MQTT 3.1.1, 2.2.3), from callers who have not said who they are. Looks at fixed headers only and
 * copies nothing.
 */
export interface PacketLengths {
  /** False when the stream announces a packet above `maxBytes`, or is no MQTT: do not read on. */
  accept(chunk: Uint8Array, maxBytes: number): boolean;
}

const CONTINUES = 0x80;
const MAX_LENGTH_BYTES = 4;

export function createPacketLengths(): PacketLengths {
  /** Bytes of the present packet's body that are still to come; while in a header, what its length says so far. */
  let length = 0;
  /** 0: at a packet's first byte; 1–4: at that byte of its length; 5: in its body. */
  let place = 0;
  const BODY = MAX_LENGTH_BYTES + 1;

  return {
    accept(chunk, maxBytes) {
      let offset = 0;
      while (offset < chunk.length) {
        if (place === BODY) {
          const here = Math.min(length, chunk.length - offset);
          offset += here;
          length -= here;
          if (length === 0) place = 0;
          continue;
        }
        const byte = chunk[offset++] as number;
        if (place === 0) {
          length = 0;
          place = 1;
          continue;
        }
        length += (byte & ~CONTINUES) * 128 ** (place - 1);
        if (length > maxBytes) return false;
        if (byte & CONTINUES) {
          if (place === MAX_LENGTH_BYTES) return false;
          place++;
        } else place = length === 0 ? 0 : BODY;
      }
      return true;
    },
  };
}
