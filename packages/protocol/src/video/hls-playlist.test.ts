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

describe('the addresses in an HLS playlist', () => {
  it('addresses are found in lines and in attributes, with their role', () => {
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

  it('addresses are rewritten, and nothing else is changed', () => {
    const changed = rewritePlaylist(MEDIA, () => '?part=abc');
    expect(changed).toContain('#EXT-X-MAP:URI="?part=abc"');
    expect(changed).toContain('#EXTINF:2.000,\n?part=abc\n');
    expect(changed).not.toContain('mp4');
    expect(rewritePlaylist(MEDIA, (uri) => uri)).toBe(MEDIA);
  });

  it('all addresses are rewritten, whatever the camera sends', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        const changed = rewritePlaylist(lines.join('\n'), () => '?part=x');
        for (const line of changed.split('\n')) expect(line === '' || /^#|^\?part=x$/.test(line)).toBe(true);
      }),
    );
  });

  it.each([
    ['a second address on a line', '#EXT-X-KEY:METHOD=AES-128,URI="a",URI="b"', 'media a|media b'],
    ['an address after spaces', '#EXT-X-MAP: URI = "a" , BYTERANGE="5@0"', 'media a'],
    ['an address without quotes', '#EXT-X-KEY:METHOD=AES-128,URI=http://evil', ''],
    ['an address in a tag that has none', '#EXT-X-START:TIME-OFFSET=1,URI="http://evil"', ''],
    ['a list of assets', '#EXT-X-DATERANGE:ID="1",X-ASSET-LIST="http://evil"', ''],
    ['an asset', '#EXT-X-DATERANGE:ID="1",X-ASSET-URI="http://evil"', ''],
    ['an asset in another tag', '#EXT-X-MAP:URI="a",X-ASSET-URI="http://evil"', 'media a'],
    ['content steering', '#EXT-X-CONTENT-STEERING:SERVER-URI="http://evil",PATHWAY-ID="x"', ''],
    ['content steering in another tag', '#EXT-X-MEDIA:URI="a",SERVER-URI="http://evil"', 'playlist a'],
    [
      'content steering inside a name',
      '#EXT-X-MEDIA:NAME="#EXT-X-CONTENT-STEERING:SERVER-URI=http://evil"',
      '',
    ],
    ['session data', '#EXT-X-SESSION-DATA:DATA-ID="x",URI="http://evil"', ''],
    ['a variable', '#EXT-X-DEFINE:NAME="x",VALUE="http://evil"', ''],
    ['a comment', '# http://evil', ''],
    ['a title', '#EXTINF:2 http://evil', ''],
    ['a title after a comma', '#EXTINF:2.5, http://evil', ''],
    ['a missing duration', '#EXTINF:http://evil', ''],
    ['an invalid number', '#EXT-X-VERSION:http://evil', ''],
    ['a line with an unusual line end', '#EXT-X-VERSION:3\r?a\u2028?b', 'media ?a|media ?b'],
    ['a value that is partly in quotes', '#EXT-X-MAP:URI="a"evil', ''],
    ['an attribute without a value', '#EXT-X-MAP:URI="a",evil', ''],
    ['a list that ends with a comma', '#EXT-X-MAP:URI="a",', 'media a'],
    ['an open quote', '#EXT-X-MAP:URI="a",URI="http://evil', ''],
  ])('an address cannot be hidden in %s', (_words, line, found) => {
    expect(addressesOf(line).join('|')).toBe(found);
    expect(rewritePlaylist(line, () => '?part=x')).not.toContain('evil');
  });

  it.each([
    ['spaces before a quote', `#EXT-X-KEY:A=${' '.repeat(500_000)}"`],
    ['spaces after a value', `#EXT-X-KEY:A=x${' '.repeat(500_000)}"`],
    ['open quotes', `#EXT-X-KEY:${'A="'.repeat(200_001)}`],
    ['commas', `#EXT-X-KEY:${','.repeat(500_000)}`],
    ['letters of a name', `#EXT-X-KEY:${'A'.repeat(500_000)}`],
    ['spaces of a duration', `#EXTINF:${' '.repeat(500_000)}x`],
  ])('each line is searched only once: %s', (_words, line) => {
    expect(rewritePlaylist(line, (uri) => uri)).toBe('');
  });

  it('all addresses are our own, even for a parser as tolerant as that of a player', () => {
    const name = fc.constantFrom('URI', 'METHOD', 'NAME', 'SERVER-URI', 'X-ASSET-URI', 'uri', ' URI', '');
    const value = fc.constantFrom(
      '"evil"',
      'evil',
      '"a,URI=evil"',
      '"evil',
      'NONE',
      '"x" ',
      '""',
      '=evil',
      '#EXT',
    );
    const attribute = fc.tuple(name, value).map(([key, said]) => `${key}=${said}`);
    const tag = fc.constantFrom('KEY', 'MAP', 'MEDIA', 'START', 'STREAM-INF', 'DATERANGE', 'PART');
    const between = fc.constantFrom(',', ', ', ' ', ';', '');
    fc.assert(
      fc.property(tag, fc.array(attribute, { maxLength: 4 }), between, (of, attributes, comma) => {
        const line = `#EXT-X-${of}:${attributes.join(comma)}`;
        const changed = rewritePlaylist(line, () => '?part=x');
        for (const [, key = '', said = ''] of changed.matchAll(/([^,:]+?)=(".*?"|.*?)(?:,|$)/g))
          if (key.trim().endsWith('URI')) expect(said).toBe('"?part=x"');
      }),
    );
  });
});

it.each([
  [MEDIA, true],
  ['<html>', false],
  ['', false],
])('a playlist is recognised by its first line', (text, is) => {
  expect(isPlaylist(text)).toBe(is);
});

describe('the newest image of an HLS playlist', () => {
  it.each<[string, string, object | null]>([
    [
      'with live segments has it in its last segment',
      MEDIA,
      { role: 'media', uri: 'seg2.mp4?x=1', initUri: 'init.mp4' },
    ],
    ['with several variants has it in the first one', MASTER, { role: 'playlist', uri: 'low.m3u8' }],
    [
      'of MPEG-TS needs no initialisation',
      '#EXTM3U\n#EXTINF:2,\na.ts',
      { role: 'media', uri: 'a.ts', initUri: null },
    ],
    [
      'with a map that has no address has none',
      '#EXTM3U\n#EXT-X-MAP:X=1\na.ts',
      { role: 'media', uri: 'a.ts', initUri: null },
    ],
    ['that is encrypted has none', '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k"\na.ts', null],
    [
      'that is not encrypted has one',
      '#EXTM3U\n#EXT-X-KEY:METHOD=NONE\na.ts',
      { role: 'media', uri: 'a.ts', initUri: null },
    ],
    ['with parts of a file has none', '#EXTM3U\n#EXT-X-BYTERANGE:5@0\na.ts', null],
    ['that is empty has none', '#EXTM3U\n', null],
  ])('the newest image is found: a playlist %s', (_words, text, tip) => {
    expect(newestOf(text)).toEqual(tip);
  });
});
