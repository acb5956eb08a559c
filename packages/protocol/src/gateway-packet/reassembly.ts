import type { OpenedPacket } from './packet.ts';
import type { PacketType } from './packet-words.ts';

/** A complete message, reassembled from its parts. */
export interface WholeMessage {
  type: PacketType;
  messageId: number;
  content: Uint8Array;
  /** Counters of its packets, if they were encrypted. */
  counters: number[];
}

export interface Reassembly {
  /** Adds a part. Returns the message if this was the last missing part, otherwise null. */
  accept(packet: OpenedPacket, now: number): WholeMessage | null;
  /** Discards messages whose remaining parts did not arrive in time; returns how many. */
  expire(now: number): number;
  /** Number of buffered bytes. */
  readonly held: number;
}

interface Partial {
  type: PacketType;
  parts: (Uint8Array | undefined)[];
  counters: number[];
  missing: number;
  bytes: number;
  until: number;
}

/**
 * Reassembles split messages from parts in any order; each part is used once. It buffers at most `maxBytes`
 * and `maxMessages`. Above that, the oldest message is discarded first; its sender gets no acknowledgement
 * and resends it.
 */
export function createReassembly(maxMessages: number, maxBytes: number, withinMs: number): Reassembly {
  /** Incomplete messages by message id, oldest first. */
  const partials = new Map<number, Partial>();
  let held = 0;

  function forget(id: number, partial: Partial): void {
    partials.delete(id);
    held -= partial.bytes;
  }

  return {
    accept({ header: { messageId }, type, counter, part, content }, now) {
      const counters = counter === null ? [] : [counter];
      if (part === null) return { type, messageId, content, counters };
      let partial = partials.get(messageId);
      // A part with the same message number but another type or number of parts belongs to another message,
      // so the earlier message will not be completed.
      if (partial && (partial.type !== type || partial.parts.length !== part.count)) {
        forget(messageId, partial);
        partial = undefined;
      }
      if (!partial) {
        partial = { type, parts: Array(part.count), counters: [], missing: part.count, bytes: 0, until: 0 };
        partials.set(messageId, partial);
      }
      partial.until = now + withinMs;
      if (partial.parts[part.index] !== undefined) return null;
      partial.parts[part.index] = new Uint8Array(content);
      partial.counters.push(...counters);
      partial.missing--;
      partial.bytes += content.length;
      held += content.length;
      if (partial.missing === 0) {
        forget(messageId, partial);
        const whole = new Uint8Array(partial.bytes);
        let at = 0;
        for (const piece of partial.parts as Uint8Array[]) {
          whole.set(piece, at);
          at += piece.length;
        }
        return { type, messageId, content: whole, counters: partial.counters };
      }
      for (const [id, oldest] of partials) {
        if (partials.size <= maxMessages && held <= maxBytes) break;
        forget(id, oldest);
      }
      return null;
    },
    expire(now) {
      let count = 0;
      for (const [id, partial] of partials) {
        if (partial.until > now) continue;
        forget(id, partial);
        count++;
      }
      return count;
    },
    get held() {
      return held;
    },
  };
}
