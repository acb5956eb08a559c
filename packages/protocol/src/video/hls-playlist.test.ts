import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlaylist, newestOf, rewritePlaylist } from './hls-playlist.ts';

const MEDIA = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:2
#EXT-X-MAP:URI="init.mp4"
#EXTINF:2.000,
seg1.mp4
#EXT-X-PART:DURATION=0.5,URI="part2.mp4",INDEPENDENT=YES
#EXTINF:2.000,
seg2.mp4?x=1
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="part3.mp4"
#EXT-X-RENDITION-REPORT:URI="../low/index.m3u8",LAST-MSN=2
`;
const MASTER = `#EXTM3U\r
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="audio.m3u8"\r
#EXT-X-STREAM-INF:BANDWIDTH=800000,AUDIO="a"\r
\r
low.m3u8\r
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="frames.m3u8"\r
`;

function addressesOf(text: string): string[] {
  const found: string[] = [];
  rewritePlaylist(text, (uri, role) => {
    found.push(`${role} ${uri}`);
    return uri;
  });
  return found;
}

describe('the addresses of a playlist', () => {
  it('are found in lines and in attributes, with what they lead to', () => {
    expect(addressesOf(MEDIA)).toEqual([
      'media init.mp4',
      'media seg1.mp4',
      'media part2.mp4',
      'media seg2.mp4?x=1',
      'media part3.mp4',
      'playlist ../low/index.m3u8',
    ]);
    expect(addressesOf(MASTER)).toEqual(['playlist audio.m3u8', 'playlist low.m3u8', 'playlist frames.m3u8']);
  });

  it('are changed, and nothing else is', () => {
    const changed = rewritePlaylist(MEDIA, () => '?part=abc');
    expect(changed).toContain('#EXT-X-MAP:URI="?part=abc"');
    expect(changed).toContain('#EXTINF:2.000,\n?part=abc\n');
    expect(changed).not.toContain('mp4');
    expect(rewritePlaylist(MEDIA, (uri) => uri)).toBe(MEDIA);
  });

  it('are all changed, whatever the camera sends', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        const changed = rewritePlaylist(lines.join('\n'), () => '?part=x');
        for (const line of changed.split('\n')) expect(line === '' || /^#|^\?part=x$/.test(line)).toBe(true);
      }),
    );
  });
});

it.each([
  [MEDIA, true],
  ['<html>', false],
  ['', false],
])('whether it is a playlist is told by its first line', (text, is) => {
  expect(isPlaylist(text)).toBe(is);
});

describe('the newest picture', () => {
  it.each<[string, string, object | null]>([
    [
      'of a live playlist is in its last segment',
      MEDIA,
      { role: 'media', uri: 'seg2.mp4?x=1', initUri: 'init.mp4' },
    ],
    ['of several variants is in the first', MASTER, { role: 'playlist', uri: 'low.m3u8' }],
    [
      'of MPEG-TS needs no initialisation',
      '#EXTM3U\n#EXTINF:2,\na.ts',
      { role: 'media', uri: 'a.ts', initUri: null },
    ],
    [
      'behind a map without address has none',
      '#EXTM3U\n#EXT-X-MAP:X=1\na.ts',
      { role: 'media', uri: 'a.ts', initUri: null },
    ],
    ['of an encrypted one is not to be had', '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k"\na.ts', null],
    [
      'of an open one is',
      '#EXTM3U\n#EXT-X-KEY:METHOD=NONE\na.ts',
      { role: 'media', uri: 'a.ts', initUri: null },
    ],
    ['in a part of a file is not to be had', '#EXTM3U\n#EXT-X-BYTERANGE:5@0\na.ts', null],
    ['of an empty one is nowhere', '#EXTM3U\n', null],
  ])('%s', (_words, text, tip) => {
    expect(newestOf(text)).toEqual(tip);
  });
});
