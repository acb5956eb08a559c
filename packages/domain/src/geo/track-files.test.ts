import { expect, it } from 'vitest';
import type { Fix } from './track.ts';
import { type SavedTrack, TRACK_FORMATS, type TrackFormat, trackFile } from './track-files.ts';

const at = Date.UTC(2026, 10, 20, 6);
const fix = (minute: number, speedKmh: number | null): Fix => ({
  at: at + minute * 60_000,
  latitude: 31.2 + minute / 100,
  longitude: 121.4,
  speedKmh,
});
const track = { name: 'HU-A <7&"1">\u0007', lines: [[fix(0, 60), fix(1, null)], [fix(30, 0)]] };

const other = { name: 'Truck 2', lines: [[fix(5, 1)]] };
const all = async (format: TrackFormat, saved: readonly SavedTrack[]) => {
  let text = '';
  for await (const part of trackFile(format, saved)) text += part;
  return text;
};
const one = (format: TrackFormat, saved: SavedTrack) => all(format, [saved]);

it('CSV has a row for each position of each asset, and a byte order mark', async () => {
  expect((await all('csv', [{ ...track, name: 'Truck 1' }, other])).split('\r\n')).toEqual([
    '\ufefftime,latitude,longitude,speed_kmh,line,asset',
    '2026-11-20T06:00:00.000Z,31.2,121.4,60,1,Truck 1',
    '2026-11-20T06:01:00.000Z,31.21,121.4,,1,Truck 1',
    '2026-11-20T06:30:00.000Z,31.5,121.4,0,2,Truck 1',
    '2026-11-20T06:05:00.000Z,31.25,121.4,1,1,Truck 2',
    '',
  ]);
});

it.each([
  ['A, "B"', '"A, ""B"""'],
  ['=1+1', "'=1+1"],
  ['@x, y', `"'@x, y"`],
  ['-', "'-"],
  [' =1+1', "' =1+1"],
  ['＝1+1', "'＝1+1"],
  ['Truck;=1+1', "Truck;'=1+1"],
])('a name is one cell of CSV, and no formula: %s', async (name, expected) => {
  expect((await one('csv', { ...other, name })).split('\r\n')[1]).toBe(
    `2026-11-20T06:05:00.000Z,31.25,121.4,1,1,${expected}`,
  );
});

it.each<[TrackFormat, RegExp]>([
  ['gpx', /<trk>/g],
  ['kml', /<Folder>/g],
])('each asset is by itself in %s', async (format, part) => {
  const text = await all(format, [track, other]);
  expect(text.match(part)).toHaveLength(2);
  expect(text).toContain('<name>Truck 2</name>');
});

it('each line of GeoJSON has the name of its asset, also after one without positions', async () => {
  const { features } = JSON.parse(await all('geojson', [{ name: 'Truck 0', lines: [] }, track, other]));
  expect(features.map((each: { properties: { name: string } }) => each.properties.name)).toEqual([
    track.name,
    track.name,
    'Truck 2',
  ]);
});

it('GPX has a segment for each line, and a name without markup', async () => {
  const text = await one('gpx', track);
  expect(text).toContain('<name>HU-A &lt;7&amp;&quot;1&quot;&gt;</name>');
  expect(text.match(/<trkseg>/g)).toHaveLength(2);
  expect(text).toContain('<trkpt lat="31.21" lon="121.4"><time>2026-11-20T06:01:00.000Z</time></trkpt>');
});

it('KML has a line with its time for each stretch', async () => {
  const text = await one('kml', track);
  expect(text).toContain('<coordinates>121.4,31.2 121.4,31.21</coordinates>');
  expect(text).toContain('<begin>2026-11-20T06:00:00.000Z</begin><end>2026-11-20T06:01:00.000Z</end>');
});

it('GeoJSON has lines, and a point where there is one position only', async () => {
  const { features } = JSON.parse(await one('geojson', track));
  expect(features[0].geometry).toEqual({
    type: 'LineString',
    coordinates: [
      [121.4, 31.2],
      [121.4, 31.21],
    ],
  });
  expect(features[1].geometry).toEqual({ type: 'Point', coordinates: [121.4, 31.5] });
  expect(features[0].properties.coordinateProperties.times).toHaveLength(2);
});

it.each(TRACK_FORMATS)('a track without positions is a valid file: %s', async (format) => {
  expect(await one(format, { name: '', lines: [] })).not.toBe('');
  expect(await all(format, [])).not.toBe('');
});

it('a track is read only when the one before it is written', async () => {
  const read: string[] = [];
  function* tracks() {
    for (const each of [track, other]) {
      read.push(each.name);
      yield each;
    }
  }
  const file = trackFile('csv', tracks());
  await file.next();
  await file.next();
  expect(read).toEqual([track.name]);
});
