/** The GSM 7-bit default alphabet in the order of its codes (3GPP TS 23.038, 6.2.1); 0x1b is the escape. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const ESCAPE = 0x1b;
/** The extension table (6.2.1.1). */
const EXTENDED: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
};

/** Values of `data_coding` (5.2.19): the default alphabet, one septet in each byte, and UCS-2. */
export const CODING = { 'gsm-7': 0x00, 'ucs-2': 0x08 } as const;
export type SmppEncoding = keyof typeof CODING;

/** Encodes a text; characters that the GSM alphabet lacks become a question mark. */
export function encodeSmsText(text: string, encoding: SmppEncoding): Uint8Array {
  if (encoding === 'ucs-2') {
    const bytes = new Uint8Array(text.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at));
    return bytes;
  }
  const bytes: number[] = [];
  for (const char of text) {
    const code = char === '\u001b' ? -1 : BASIC.indexOf(char);
    const extended = EXTENDED[char];
    if (code >= 0) bytes.push(code);
    else if (extended !== undefined) bytes.push(ESCAPE, extended);
    else bytes.push(BASIC.indexOf('?'));
  }
  return Uint8Array.from(bytes);
}

/** Decodes a text; an unknown code becomes a question mark. */
export function decodeSmsText(bytes: Uint8Array, encoding: SmppEncoding): string {
  if (encoding === 'ucs-2') {
    let text = '';
    for (let at = 0; at + 1 < bytes.length; at += 2)
      text += String.fromCharCode(((bytes[at] as number) << 8) | (bytes[at + 1] as number));
    return text;
  }
  let text = '';
  let isEscaped = false;
  for (const code of bytes) {
    if (isEscaped) {
      text += Object.keys(EXTENDED).find((char) => EXTENDED[char] === code) ?? '?';
      isEscaped = false;
    } else if (code === ESCAPE) isEscaped = true;
    else text += BASIC[code] ?? '?';
  }
  return text;
}

/** User data header of one part of a concatenated message (3GPP TS 23.040, 9.2.3.24.1). */
export const concatenationHeader = (reference: number, parts: number, part: number): Uint8Array =>
  Uint8Array.from([5, 0, 3, reference & 0xff, parts, part]);

/** Reads the header of a part; null if the content begins with another one. */
export function readConcatenation(
  content: Uint8Array,
): { reference: number; parts: number; part: number; text: Uint8Array } | null {
  const [length, element, size, reference, parts, part] = content;
  if (length !== 5 || element !== 0 || size !== 3 || part === undefined) return null;
  return { reference: reference as number, parts: parts as number, part, text: content.slice(6) };
}
