/** Role of an address in a playlist: another playlist, or bytes (segment, initialisation, key). */
export type PlaylistRole = 'media' | 'playlist';

const HEAD = '#EXTM3U';
/** All characters that any parser treats as the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const TAG = /^#(EXT[A-Z0-9-]*)(?::(.*))?$/;
/** Pattern of numbers, times and words, which cannot be an address. */
const PLAIN_VALUE = /^[\w.:+@ -]*$/;
const DURATION = /^\s*(\d+(?:\.\d+)?)/;
/**
 * Pattern of an attribute list (RFC 8216, 4.2). It reads each character only once, because a camera may send
 * an endless line.
 */
const BETWEEN_COMMAS = /(?:"[^"]*"|[^",])+/g;
const ATTRIBUTE = /^\s*([A-Z0-9-]+)\s*=(.*)$/;
const VALUE = /^(?:"[^"]*"|[^"]*)$/;
/**
 * Pattern of other places that may contain an address, besides `URI`: attributes of other and invented tags,
 * and a tag within a value.
 */
const OTHER_ADDRESS = /^[A-Z0-9-]*URI=|^X-|#EXT/;

/**
 * How the value of a tag is parsed: unchanged, as a duration with a title, or as attributes whose `URI` has
 * a role.
 */
type TagKind = 'attributes' | 'duration' | 'plain' | PlaylistRole;

/**
 * Tags that a player needs (RFC 8216 and its second edition). All others are removed, such as tags that
 * refer to other servers: date ranges with interstitials, content steering, session data.
 */
const TAGS: Readonly<Partial<Record<string, TagKind>>> = {
  EXTINF: 'duration',
  EXTM3U: 'plain',
  'EXT-X-BITRATE': 'plain',
  'EXT-X-BYTERANGE': 'plain',
  'EXT-X-DISCONTINUITY': 'plain',
  'EXT-X-DISCONTINUITY-SEQUENCE': 'plain',
  'EXT-X-ENDLIST': 'plain',
  'EXT-X-GAP': 'plain',
  'EXT-X-I-FRAME-STREAM-INF': 'playlist',
  'EXT-X-I-FRAMES-ONLY': 'plain',
  'EXT-X-INDEPENDENT-SEGMENTS': 'plain',
  'EXT-X-KEY': 'media',
  'EXT-X-MAP': 'media',
  'EXT-X-MEDIA': 'playlist',
  'EXT-X-MEDIA-SEQUENCE': 'plain',
  'EXT-X-PART': 'media',
  'EXT-X-PART-INF': 'attributes',
  'EXT-X-PLAYLIST-TYPE': 'plain',
  'EXT-X-PRELOAD-HINT': 'media',
  'EXT-X-PROGRAM-DATE-TIME': 'plain',
  'EXT-X-RENDITION-REPORT': 'playlist',
  'EXT-X-SERVER-CONTROL': 'attributes',
  'EXT-X-SESSION-KEY': 'media',
  'EXT-X-SKIP': 'attributes',
  'EXT-X-START': 'attributes',
  'EXT-X-STREAM-INF': 'attributes',
  'EXT-X-TARGETDURATION': 'plain',
  'EXT-X-VERSION': 'plain',
};

export function isPlaylist(text: string): boolean {
  return text.startsWith(HEAD);
}

/**
 * Rewrites each address in a playlist; exceptions of `rewrite` propagate. If a player parsed a line
 * differently, an address could remain. Therefore each line is written again from its parsed form, and lines
 * that cannot be parsed are removed.
 */
export function rewritePlaylist(text: string, rewrite: (uri: string, role: PlaylistRole) => string): string {
  let next: PlaylistRole = 'media';
  const lines: string[] = [];
  for (const line of linesOf(text)) {
    if (line.startsWith('#')) {
      if (line.startsWith('#EXT-X-STREAM-INF')) next = 'playlist';
      const changed = rewriteTag(line, rewrite);
      if (changed !== null) lines.push(changed);
    } else if (line === '') lines.push(line);
    else {
      lines.push(rewrite(line, next));
      next = 'media';
    }
  }
  return lines.join('\n');
}

/** Rewrites a tag; null for a line that is removed. */
function rewriteTag(line: string, rewrite: (uri: string, role: PlaylistRole) => string): string | null {
  const [, name = '', value = ''] = TAG.exec(line) ?? [];
  const kind = TAGS[name];
  if (kind === undefined) return null;
  if (kind === 'plain') return PLAIN_VALUE.test(value) ? line : null;
  if (kind === 'duration') {
    const duration = DURATION.exec(value)?.[1];
    return duration === undefined ? null : `#${name}:${duration},`;
  }
  const attributes = attributesOf(value);
  if (attributes === null) return null;
  const kept = attributes.flatMap(([key, said]) => {
    if (key === 'URI' && kind !== 'attributes' && said.startsWith('"'))
      return [`URI="${rewrite(said.slice(1, -1), kind)}"`];
    const attribute = `${key}=${said}`;
    return OTHER_ADDRESS.test(attribute) ? [] : [attribute];
  });
  return `#${name}:${kept.join(',')}`;
}

/** Parses an attribute list; null if the line is not a complete one. */
function attributesOf(text: string): [key: string, value: string][] | null {
  const list = text.endsWith(',') ? text.slice(0, -1) : text;
  const pieces = list.match(BETWEEN_COMMAS) ?? [];
  if (pieces.join(',') !== list) return null;
  const found: [string, string][] = [];
  for (const piece of pieces) {
    const [, key, said = ''] = ATTRIBUTE.exec(piece) ?? [];
    const value = said.trim();
    if (key === undefined || !VALUE.test(value)) return null;
    found.push([key, value]);
  }
  return found;
}

/** Location of the newest image: in another playlist, or in a segment with its initialisation. */
export type PlaylistTip =
  | { role: 'playlist'; uri: string }
  | { role: 'media'; uri: string; initUri: string | null };

/**
 * Returns the location of the newest image; null without a complete, unencrypted segment in a file of its
 * own.
 */
export function newestOf(text: string): PlaylistTip | null {
  let tip: PlaylistTip | null = null;
  let initUri: string | null = null;
  let isVariant = false;
  for (const line of linesOf(text)) {
    if (line.startsWith('#EXT-X-STREAM-INF')) isVariant = true;
    else if (line.startsWith('#EXT-X-MAP')) initUri = /URI="([^"]*)"/.exec(line)?.[1] ?? null;
    else if (line.startsWith('#EXT-X-BYTERANGE')) return null;
    else if (line.startsWith('#EXT-X-KEY') && !line.includes('METHOD=NONE')) return null;
    else if (line !== '' && !line.startsWith('#')) {
      // Players start with the first variant (RFC 8216, 6.2.4).
      if (isVariant) return { role: 'playlist', uri: line };
      tip = { role: 'media', uri: line, initUri };
    }
  }
  return tip;
}

function linesOf(text: string): string[] {
  return text.split(LINE_END).map((line) => line.trim());
}
