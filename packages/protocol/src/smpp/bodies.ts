/** A telephone address: type of number, numbering plan and digits or letters (SMPP 3.4, 5.2.5). */
export interface SmppAddress {
  ton: number;
  npi: number;
  address: string;
}

/** A short message as `submit_sm` and `deliver_sm` carry it (4.4.1 and 4.6.1). */
export interface ShortMessage {
  source: SmppAddress;
  destination: SmppAddress;
  esmClass: number;
  registeredDelivery: number;
  dataCoding: number;
  /** At most 254 bytes, with the user data header. */
  content: Uint8Array;
  /** Optional parameters by their tag. */
  options: ReadonlyMap<number, Uint8Array>;
}

/** The message begins with a user data header. */
export const ESM_UDH = 0x40;
/** Bits of the message type in `esm_class`, and the type of a delivery receipt. */
export const ESM_TYPE = 0x3c;
export const ESM_RECEIPT = 0x04;
/** Tags of optional parameters of receipts. */
export const TAG_MESSAGE_ID = 0x001e;
export const TAG_MESSAGE_STATE = 0x0427;

/** Address of a number such as `+8613812345678`, a short code, or a name as sender. */
export function addressOf(text: string): SmppAddress {
  if (/^\+\d+$/.test(text)) return { ton: 1, npi: 1, address: text.slice(1) };
  return /^\d*$/.test(text) ? { ton: 0, npi: 1, address: text } : { ton: 5, npi: 0, address: text };
}

const latin = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** Bytes of a C string; characters that are not Latin-1 become a question mark. */
const cString = (text: string): number[] => [
  ...Array.from(text, (char) => {
    const code = char.codePointAt(0) as number;
    return code > 0 && code < 0x100 ? code : 0x3f;
  }),
  0,
];

/** Reads a body in sequence. A field beyond its end makes the whole body invalid (`isShort`). */
function createBodyReader(body: Uint8Array) {
  let at = 0;
  let isShort = false;
  return {
    byte(): number {
      isShort ||= at >= body.length;
      return body[at++] ?? 0;
    },
    bytes(length: number): Uint8Array {
      isShort ||= at + length > body.length;
      at += length;
      return body.slice(at - length, at);
    },
    text(): string {
      const end = body.indexOf(0, at);
      isShort ||= end < 0;
      const read = end < 0 ? new Uint8Array(0) : body.slice(at, end);
      at = end < 0 ? body.length : end + 1;
      return latin(read);
    },
    isAtEnd: () => at >= body.length,
    isShort: () => isShort,
  };
}

/** Body of `bind_transceiver` for version 3.4. */
export const encodeBind = (bind: { systemId: string; password: string; systemType: string }): Uint8Array =>
  Uint8Array.from([
    ...cString(bind.systemId),
    ...cString(bind.password),
    ...cString(bind.systemType),
    // Version, and the range of addresses of the client: any.
    0x34,
    0,
    0,
    0,
  ]);

/** Reads the body of a bind; null if it is invalid. */
export function decodeBind(
  body: Uint8Array,
): { systemId: string; password: string; systemType: string } | null {
  const reader = createBodyReader(body);
  const bind = { systemId: reader.text(), password: reader.text(), systemType: reader.text() };
  return reader.isShort() ? null : bind;
}

/** Body of a response with a message id or a system id. */
export const encodeText = (text: string): Uint8Array => Uint8Array.from(cString(text));

/** The first text of a body; empty if there is none. */
export const decodeText = (body: Uint8Array): string => createBodyReader(body).text();

export function encodeMessage(message: ShortMessage): Uint8Array {
  const { source, destination, content } = message;
  const address = ({ ton, npi, address: text }: SmppAddress) => [ton, npi, ...cString(text)];
  const bytes = [
    // Default service.
    0,
    ...address(source),
    ...address(destination),
    message.esmClass,
    // Protocol, priority, delivery time and validity: defaults.
    0,
    0,
    0,
    0,
    message.registeredDelivery,
    0,
    message.dataCoding,
    0,
    content.length,
    ...content,
  ];
  for (const [tag, value] of message.options)
    bytes.push(tag >> 8, tag & 0xff, value.length >> 8, value.length & 0xff, ...value);
  return Uint8Array.from(bytes);
}

/** Reads the body of `submit_sm` or `deliver_sm`; null if it is invalid. */
export function decodeMessage(body: Uint8Array): ShortMessage | null {
  const reader = createBodyReader(body);
  reader.text();
  const address = () => ({ ton: reader.byte(), npi: reader.byte(), address: reader.text() });
  const [source, destination] = [address(), address()];
  const esmClass = reader.byte();
  reader.bytes(2);
  reader.text();
  reader.text();
  const registeredDelivery = reader.byte();
  reader.byte();
  const dataCoding = reader.byte();
  reader.byte();
  const content = reader.bytes(reader.byte());
  const options = new Map<number, Uint8Array>();
  while (!reader.isAtEnd()) {
    const tag = reader.byte() * 256 + reader.byte();
    options.set(tag, reader.bytes(reader.byte() * 256 + reader.byte()));
  }
  if (reader.isShort()) return null;
  return { source, destination, esmClass, registeredDelivery, dataCoding, content, options };
}
