import type { Fix } from './track.ts';

/** Formats in which a track can be saved. */
export const TRACK_FORMATS = ['csv', 'gpx', 'kml', 'geojson'] as const;
export type TrackFormat = (typeof TRACK_FORMATS)[number];

export const TRACK_TYPES: Readonly<Record<TrackFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  gpx: 'application/gpx+xml',
  kml: 'application/vnd.google-earth.kml+xml',
  geojson: 'application/geo+json',
};

/** A track to be saved: the positions that are drawn, by line. */
export interface SavedTrack {
  name: string;
  lines: readonly (readonly Fix[])[];
}

const iso = (at: number) => new Date(at).toISOString();
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters are not allowed in XML at all. */
const xml = (text: string) =>
  [...text]
    .filter((char) => char >= ' ')
    .join('')
    .replace(/[&<>"]/g, (char) => ESCAPES[char] as string);

/** Contents of a file with the tracks, in UTF-8. Times are in UTC, coordinates in WGS-84. */
export function trackFile(format: TrackFormat, tracks: readonly SavedTrack[]): string {
  switch (format) {
    case 'csv':
      return csvOf(tracks);
    case 'gpx':
      return gpxOf(tracks);
    case 'kml':
      return kmlOf(tracks);
    case 'geojson':
      return geoJsonOf(tracks);
  }
}

/** A text in a row of CSV. One that a spreadsheet would take for a formula gets an apostrophe. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** One row for each position (RFC 4180); `line` counts the stretches between gaps of an asset. */
function csvOf(tracks: readonly SavedTrack[]): string {
  const rows = tracks.flatMap(({ name, lines }) =>
    lines.flatMap((line, number) =>
      line.map(
        ({ at, latitude, longitude, speedKmh }) =>
          `${cell(name)},${iso(at)},${latitude},${longitude},${speedKmh ?? ''},${number + 1}`,
      ),
    ),
  );
  return ['asset,time,latitude,longitude,speed_kmh,line', ...rows, ''].join('\r\n');
}

/** GPX 1.1 with a track for each asset. */
function gpxOf(tracks: readonly SavedTrack[]): string {
  const all = tracks.map(({ name, lines }) => {
    const segments = lines.map((line) => {
      const points = line.map(
        ({ at, latitude, longitude }) =>
          `<trkpt lat="${latitude}" lon="${longitude}"><time>${iso(at)}</time></trkpt>`,
      );
      return `<trkseg>${points.join('')}</trkseg>`;
    });
    return `<trk><name>${xml(name)}</name>${segments.join('')}</trk>`;
  });
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<gpx version="1.1" creator="Isotherm" xmlns="http://www.topografix.com/GPX/1/1">' +
    `${all.join('')}</gpx>\n`
  );
}

/** KML 2.2 with a folder for each asset, and a line for each stretch. */
function kmlOf(tracks: readonly SavedTrack[]): string {
  const folders = tracks.map(({ name, lines }) => {
    const stretches = lines.map((line) => {
      const points = line.map(({ latitude, longitude }) => `${longitude},${latitude}`).join(' ');
      const [first, last] = [line[0] as Fix, line.at(-1) as Fix];
      return (
        `<Placemark><TimeSpan><begin>${iso(first.at)}</begin><end>${iso(last.at)}</end></TimeSpan>` +
        `<LineString><tessellate>1</tessellate><coordinates>${points}</coordinates></LineString></Placemark>`
      );
    });
    return `<Folder><name>${xml(name)}</name>${stretches.join('')}</Folder>`;
  });
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${folders.join('')}</Document></kml>\n`
  );
}

/** RFC 7946; times of the positions are in `coordinateProperties.times`, as common tools read them. */
function geoJsonOf(tracks: readonly SavedTrack[]): string {
  const features = tracks.flatMap(({ name, lines }) =>
    lines.map((line) => {
      const coordinates = line.map(({ latitude, longitude }) => [longitude, latitude]);
      return {
        type: 'Feature',
        properties: { name, coordinateProperties: { times: line.map(({ at }) => iso(at)) } },
        // A line needs two positions; a single one is a point.
        geometry:
          coordinates.length === 1
            ? { type: 'Point', coordinates: coordinates[0] }
            : { type: 'LineString', coordinates },
      };
    }),
  );
  return `${JSON.stringify({ type: 'FeatureCollection', features })}\n`;
}
