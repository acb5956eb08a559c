import { isCrcRight } from './checksums.ts';
import { MAX_LENGTH, MAX_PACKET_BYTES } from './packet.ts';
import { CRC_BYTES, HEADER_BYTES, readHeader } from './packet-header.ts';
import { SYNC } from './packet-words.ts';

/** An item that was found in a stream, in order. */
export type Found =
  /** A complete packet with a valid CRC; the bytes are a copy. */
  | { kind: 'packet'; bytes: Uint8Array }
  /** Bytes outside packets, which are discarded. */
  | { kind: 'thrown-away'; bytes: Uint8Array };

export interface PacketReader {
  /**
   * Takes received bytes and returns the packets that are complete. Never throws, and never buffers more
   * than one packet.
   */
  accept(chunk: Uint8Array): Found[];
  /** Changes the largest accepted length, which is smaller before authentication. */
  allow(maxLength: number): void;
  /** Number of buffered bytes of an incomplete packet. */
  readonly waiting: number;
  /**
   * Called when the rest of a packet will not arrive. The buffer is searched for other packets, then
   * discarded.
   */
  giveUp(): Found[];
}

/** `slice` is not used here, because for Node.js Buffers it returns a view of the same memory. */
const copy = (bytes: Uint8Array, from: number, to: number) => new Uint8Array(bytes.subarray(from, to));

/**
 * Limit of useless checksum work, in bytes per received byte. It is needed because thousands of forged
 * headers can each announce a long packet that contains the next header.
 */
const VAIN_SUMS = 4;
const MOST_CREDIT = VAIN_SUMS * MAX_PACKET_BYTES;

/**
 * Creates a reader that finds packets in a stream of bytes. After invalid bytes it searches for the next
 * sync word with a valid header check. After a wrong CRC it skips only the two sync bytes, so that packets
 * inside are found, up to a limit of useless checksums.
 */
export function createPacketReader(maxLength = MAX_LENGTH): PacketReader {
  let most = maxLength;
  let held = new Uint8Array(0);
  let credit = MOST_CREDIT;

  function scan(bytes: Uint8Array, isEnd: boolean): Found[] {
    const found: Found[] = [];
    let thrown = 0;
    let at = 0;
    const report = () => {
      if (thrown > 0) found.push({ kind: 'thrown-away', bytes: copy(bytes, at - thrown, at) });
      thrown = 0;
    };
    const skip = (count: number) => {
      thrown += count;
      at += count;
    };
    while (at < bytes.length) {
      const next = bytes.indexOf(SYNC[0], at);
      if (next === -1) {
        skip(bytes.length - at);
        break;
      }
      skip(next - at);
      const left = bytes.length - at;
      if (left < HEADER_BYTES) {
        // The second byte alone distinguishes most invalid bytes from a packet.
        if (isEnd || (left > 1 && bytes[at + 1] !== SYNC[1])) skip(1);
        else break;
        continue;
      }
      const header = readHeader(bytes, at, most);
      if (!header.ok) {
        skip(1);
        continue;
      }
      const end = at + HEADER_BYTES + header.value.length;
      if (end + CRC_BYTES > bytes.length) {
        if (!isEnd) break;
        skip(1);
        continue;
      }
      if (!isCrcRight(bytes, at, end)) {
        credit -= header.value.length;
        skip(credit > 0 ? SYNC.length : end + CRC_BYTES - at);
        continue;
      }
      report();
      found.push({ kind: 'packet', bytes: copy(bytes, at, end + CRC_BYTES) });
      at = end + CRC_BYTES;
    }
    report();
    held = copy(bytes, at, bytes.length);
    return found;
  }

  return {
    accept(chunk) {
      // The input is processed in pieces, so that never more than a packet and a piece is concatenated.
      const found: Found[] = [];
      for (let from = 0; from < chunk.length; from += MAX_PACKET_BYTES) {
        const piece = chunk.subarray(from, from + MAX_PACKET_BYTES);
        credit = Math.min(credit + VAIN_SUMS * piece.length, MOST_CREDIT);
        if (held.length === 0) found.push(...scan(piece, false));
        else {
          const joined = new Uint8Array(held.length + piece.length);
          joined.set(held);
          joined.set(piece, held.length);
          found.push(...scan(joined, false));
        }
      }
      return found;
    },
    allow(length) {
      most = length;
    },
    get waiting() {
      return held.length;
    },
    giveUp: () => scan(held, true),
  };
}
