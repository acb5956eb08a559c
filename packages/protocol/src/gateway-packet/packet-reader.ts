import { isCrcRight } from './checksums.ts';
import { MAX_LENGTH, MAX_PACKET_BYTES } from './packet.ts';
import { CRC_BYTES, HEADER_BYTES, readHeader } from './packet-header.ts';
import { SYNC } from './packet-words.ts';

/** The contents of a stream, in order. */
export type Found =
  /** A complete packet with a valid CRC; the bytes are a copy. */
  | { kind: 'packet'; bytes: Uint8Array }
  /** Bytes outside packets. */
  | { kind: 'thrown-away'; bytes: Uint8Array };

export interface PacketReader {
  /**
   * Takes received bytes and returns what is complete. Never throws, and never buffers more than one packet.
   */
  accept(chunk: Uint8Array): Found[];
  /** Changes the largest accepted length, which is smaller before authentication. */
  allow(maxLength: number): void;
  /** Buffered bytes of an incomplete packet. */
  readonly waiting: number;
  /** The rest will not arrive: the buffer is searched for other packets, then discarded. */
  giveUp(): Found[];
}

/** Not `slice`, which returns a view of the same memory for Node.js Buffers. */
const copy = (bytes: Uint8Array, from: number, to: number) => new Uint8Array(bytes.subarray(from, to));

/**
 * Largest number of bytes checksummed in vain per received byte, because thousands of forged headers can each
 * announce a long packet that contains the next one.
 */
const VAIN_SUMS = 4;
const MOST_CREDIT = VAIN_SUMS * MAX_PACKET_BYTES;

/**
 * Finds packets in a stream of bytes. After garbage it searches for the next sync word with a valid header
 * check; after a wrong CRC only the two sync bytes are skipped, so that packets inside are found, up to a
 * limit of useless checksums.
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
        // The second byte already distinguishes most garbage from a packet.
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
      // In pieces, so that no more than a packet and a piece is concatenated.
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
