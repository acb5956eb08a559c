/** Commands of SMPP 3.4 (5.1.2.1) that are used here; responses have the highest bit. */
export const COMMAND = {
  bindTransceiver: 0x09,
  submit: 0x04,
  deliver: 0x05,
  unbind: 0x06,
  enquireLink: 0x15,
} as const;
/** Bit of the command of a response. */
export const RESPONSE = 0x8000_0000;
export const GENERIC_NACK = 0x8000_0000;

/** Statuses (5.1.3) with a name; others are shown as numbers. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  0: 'ESME_ROK',
  1: 'ESME_RINVMSGLEN',
  2: 'ESME_RINVCMDLEN',
  3: 'ESME_RINVCMDID',
  4: 'ESME_RINVBNDSTS',
  5: 'ESME_RALYBND',
  8: 'ESME_RSYSERR',
  10: 'ESME_RINVSRCADR',
  11: 'ESME_RINVDSTADR',
  13: 'ESME_RBINDFAIL',
  14: 'ESME_RINVPASWD',
  15: 'ESME_RINVSYSID',
  20: 'ESME_RMSGQFUL',
  21: 'ESME_RINVSERTYP',
  67: 'ESME_RINVESMCLASS',
  69: 'ESME_RSUBMITFAIL',
  72: 'ESME_RINVSRCTON',
  80: 'ESME_RINVDSTTON',
  81: 'ESME_RINVDSTNPI',
  83: 'ESME_RINVSYSTYP',
  88: 'ESME_RTHROTTLED',
  100: 'ESME_RX_T_APPN',
  101: 'ESME_RX_P_APPN',
};

/** Name of a status, as `ESME_RTHROTTLED`, or `status 0x400` of a provider's own one. */
export const statusName = (status: number): string =>
  STATUS_NAMES[status] ?? `status 0x${status.toString(16)}`;

/** A protocol data unit. */
export interface Pdu {
  command: number;
  status: number;
  sequence: number;
  body: Uint8Array;
}

const HEADER_BYTES = 16;
/** Longest unit that is read: a message with an optional `message_payload` has 64 KB at most. */
const MAX_BYTES = 70_000;

export function encodePdu({ command, status, sequence, body }: Pdu): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, command);
  view.setUint32(8, status);
  view.setUint32(12, sequence);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

/**
 * Collects units from a stream of bytes. `push` returns those that are complete; null after a length that no unit has,
 * after which nothing can be read any more.
 */
export function createPduReader(): { push(bytes: Uint8Array): Pdu[] | null } {
  let rest: Uint8Array = new Uint8Array(0);
  let isBroken = false;
  return {
    push(bytes) {
      if (isBroken) return null;
      const all = new Uint8Array(rest.length + bytes.length);
      all.set(rest);
      all.set(bytes, rest.length);
      const view = new DataView(all.buffer);
      const units: Pdu[] = [];
      let at = 0;
      while (all.length - at >= HEADER_BYTES) {
        const length = view.getUint32(at);
        if (length < HEADER_BYTES || length > MAX_BYTES) {
          isBroken = true;
          // What came before is whole; the next call says that the stream is broken.
          return units.length > 0 ? units : null;
        }
        if (all.length - at < length) break;
        units.push({
          command: view.getUint32(at + 4),
          status: view.getUint32(at + 8),
          sequence: view.getUint32(at + 12),
          body: all.slice(at + HEADER_BYTES, at + length),
        });
        at += length;
      }
      rest = all.slice(at);
      return units;
    },
  };
}
