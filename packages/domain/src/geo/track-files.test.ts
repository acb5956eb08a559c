import { expect, it } from 'vitest';
import type { Fix } from './track.ts';
import { TRACK_FORMATS, trackFile } from './track-files.ts';

const at = Date.UTC(2026, 10, 20, 6);
const fix = (minute: number, speedKmh: number | null): Fix => ({
  at: at + minute * 60_000,
  latitude: 31.2 + minute / 100,
  longitude: 121.4,
  speedKmh,
});
const track = { name: 'HU-A <7&"1">\u0007', lines: [[fix(0, 60), fix(1, null)], [fix(30, 0)]] };

it('CSV has a row for each position', () => {
  expect(trackFile('csv', track).split('\r\n')).toEqual([
    'time,latitude,longitude,speed_kmh,line',
    '2026-11-20T06:00:00.000Z,31.2,121.4,60,1',
    '2026-11-20T06:01:00.000Z,31.21,121.4,,1',
    '2026-11-20T06:30:00.000Z,31.5,121.4,0,2',
    '',
  ]);
});

it('GPX has a segment for each line, and a name without markup', () => {
  const text = trackFile('gpx', track);
  expect(text).toContain('<name>HU-A &lt;7&amp;&quot;1&quot;&gt;</name>');
  expect(text.match(/<trkseg>/g)).toHaveLength(2);
  expect(text).toContain('<trkpt lat="31.21" lon="121.4"><time>2026-11-20T06:01:00.000Z</time></trkpt>');
});

it('KML has a line with its time for each stretch', () => {
  const text = trackFile('kml', track);
  expect(text).toContain('<coordinates>121.4,31.2 121.4,31.21</coordinates>');
  expect(text).toContain('<begin>2026-11-20T06:00:00.000Z</begin><end>2026-11-20T06:01:00.000Z</end>');
});

it('GeoJSON has lines, and a point where there is one position only', () => {
  const { features } = JSON.parse(trackFile('geojson', track));
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

it.each(TRACK_FORMATS)('a track without positions is a valid file: %s', (format) => {
  expect(trackFile(format, { name: '', lines: [] })).not.toBe('');
});
