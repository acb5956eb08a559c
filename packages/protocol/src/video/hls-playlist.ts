/** What an address of a playlist leads to: another playlist, or bytes (segment, initialisation, key). */
export type PlaylistRole = 'media' | 'playlist';

const HEAD = '#EXTM3U';
const URI = /URI="([^"]*)"/;
/** Tags whose `URI` is a playlist (RFC 8216, 4.3.4; the second edition's rendition reports). */
const OF_PLAYLISTS = /^#EXT-X-(MEDIA|I-FRAME-STREAM-INF|RENDITION-REPORT):/;

export function isPlaylist(text: string): boolean {
  return text.startsWith(HEAD);
}

/** The playlist with each of its addresses changed; what a rewrite throws goes through. */
export function rewritePlaylist(text: string, rewrite: (uri: string, role: PlaylistRole) => string): string {
  let next: PlaylistRole = 'media';
  return linesOf(text)
    .map((line) => {
      if (line.startsWith('#')) {
        if (line.startsWith('#EXT-X-STREAM-INF')) next = 'playlist';
        const role = OF_PLAYLISTS.test(line) ? 'playlist' : 'media';
        return line.replace(URI, (_whole, uri: string) => `URI="${rewrite(uri, role)}"`);
      }
      if (line === '') return line;
      const role = next;
      next = 'media';
      return rewrite(line, role);
    })
    .join('\n');
}

/** Where the newest picture is: in a playlist further down, or in a segment behind its initialisation. */
export type PlaylistTip =
  | { role: 'playlist'; uri: string }
  | { role: 'media'; uri: string; initUri: string | null };

/** Null where there is no whole and open segment: none at all, encrypted ones, or parts of one file. */
export function newestOf(text: string): PlaylistTip | null {
  let tip: PlaylistTip | null = null;
  let initUri: string | null = null;
  let isVariant = false;
  for (const line of linesOf(text)) {
    if (line.startsWith('#EXT-X-STREAM-INF')) isVariant = true;
    else if (line.startsWith('#EXT-X-MAP')) initUri = URI.exec(line)?.[1] ?? null;
    else if (line.startsWith('#EXT-X-BYTERANGE')) return null;
    else if (line.startsWith('#EXT-X-KEY') && !line.includes('METHOD=NONE')) return null;
    else if (line !== '' && !line.startsWith('#')) {
      // Of several variants the first is the one that a player begins with (RFC 8216, 6.2.4).
      if (isVariant) return { role: 'playlist', uri: line };
      tip = { role: 'media', uri: line, initUri };
    }
  }
  return tip;
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}
