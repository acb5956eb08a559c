/** The basic characters of the GSM 7-bit alphabet (3GPP TS 23.038, 6.2.1). */
const GSM_BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Characters of the extension table, which take two places (3GPP TS 23.038, 6.2.1.1). */
const GSM_EXTENDED = new Set('\f^{}\\[~]|€');

export interface SmsLength {
  encoding: 'gsm-7' | 'ucs-2';
  /** Places that the text takes: septets or UTF-16 units. */
  places: number;
  segments: number;
}

const isGsm = (char: string) => GSM_BASIC.has(char) || GSM_EXTENDED.has(char);

/** A text as it is sent: one text for each segment. */
export interface SmsSegments extends SmsLength {
  texts: string[];
}

/**
 * Divides an SMS into segments, each of which costs one unit. A text of only GSM characters has 160 places in one
 * segment and 153 in each of several; any other text has 70 and 67. A character is never split between two
 * segments.
 */
export function smsSegments(text: string): SmsSegments {
  const chars = [...text];
  const isPlain = chars.every(isGsm);
  const [single, each] = isPlain ? [160, 153] : [70, 67];
  const sizes = chars.map((char) => (isPlain ? (GSM_EXTENDED.has(char) ? 2 : 1) : char.length));
  const places = sizes.reduce((sum, size) => sum + size, 0);
  const encoding = isPlain ? 'gsm-7' : 'ucs-2';
  if (places <= single) {
    const texts = places === 0 ? [] : [text];
    return { encoding, places, segments: texts.length, texts };
  }
  const texts: string[] = [];
  let begun = '';
  let filled = 0;
  chars.forEach((char, at) => {
    const size = sizes[at] as number;
    if (filled + size > each) {
      texts.push(begun);
      begun = '';
      filled = 0;
    }
    begun += char;
    filled += size;
  });
  texts.push(begun);
  return { encoding, places, segments: texts.length, texts };
}

/** Encoding, places and number of segments of an SMS. */
export function smsLength(text: string): SmsLength {
  const { encoding, places, segments } = smsSegments(text);
  return { encoding, places, segments };
}
