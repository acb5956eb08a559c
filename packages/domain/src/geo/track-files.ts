import { CSV_START, csvRow } from '../csv.ts';
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

/** How a format writes the tracks: what comes before, between and after them, and each one; empty if it has nothing to write. */
interface Writing {
  start: string;
  of(track: SavedTrack): string;
  between: string;
  end: string;
}

/**
 * Contents of a file with the tracks, in UTF-8, in pieces of one track, so that no more than one is in memory. Times are in UTC,
 * coordinates in WGS-84.
 */
export async function* trackFile(
  format: TrackFormat,
  tracks: AsyncIterable<SavedTrack> | Iterable<SavedTrack>,
): AsyncGenerator<string> {
  const { start, of, between, end } = WRITINGS[format];
  yield start;
  let isFirst = true;
  for await (const track of tracks) {
    const text = of(track);
    if (text === '') continue;
    yield isFirst ? text : between + text;
    isFirst = false;
  }
  yield end;
}

const WRITINGS: Readonly<Record<TrackFormat, Writing>> = {
  /** RFC 4180. */
  csv: {
    start: CSV_START + csvRow(['time', 'latitude', 'longitude', 'speed_kmh', 'line', 'asset']),
    of: csvOf,
    between: '',
    end: '',
  },
  /** GPX 1.1. */
  gpx: {
    start:
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<gpx version="1.1" creator="Isotherm" xmlns="http://www.topografix.com/GPX/1/1">',
    of: gpxOf,
    between: '',
    end: '</gpx>\n',
  },
  /** KML 2.2. */
  kml: {
    start: '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>',
    of: kmlOf,
    between: '',
    end: '</Document></kml>\n',
  },
  /** RFC 7946. */
  geojson: {
    start: '{"type":"FeatureCollection","features":[',
    of: geoJsonOf,
    between: ',',
    end: ']}\n',
  },
};

/** One row for each position; `line` counts the stretches between gaps of an asset. */
function csvOf({ name, lines }: SavedTrack): string {
  return lines
    .flatMap((line, number) =>
      line.map(({ at, latitude, longitude, speedKmh }) =>
        csvRow([iso(at), latitude, longitude, speedKmh ?? '', number + 1, name]),
      ),
    )
    .join('');
}

/** A track with a segment for each line. */
function gpxOf({ name, lines }: SavedTrack): string {
  const segments = lines.map((line) => {
    const points = line.map(
      ({ at, latitude, longitude }) =>
        `<trkpt lat="${latitude}" lon="${longitude}"><time>${iso(at)}</time></trkpt>`,
    );
    return `<trkseg>${points.join('')}</trkseg>`;
  });
  return `<trk><name>${xml(name)}</name>${segments.join('')}</trk>`;
}

/** A folder with a line for each stretch. */
function kmlOf({ name, lines }: SavedTrack): string {
  const stretches = lines.map((line) => {
    const points = line.map(({ latitude, longitude }) => `${longitude},${latitude}`).join(' ');
    const [first, last] = [line[0] as Fix, line.at(-1) as Fix];
    return (
      `<Placemark><TimeSpan><begin>${iso(first.at)}</begin><end>${iso(last.at)}</end></TimeSpan>` +
      `<LineString><tessellate>1</tessellate><coordinates>${points}</coordinates></LineString></Placemark>`
    );
  });
  return `<Folder><name>${xml(name)}</name>${stretches.join('')}</Folder>`;
}

/** Times of the positions are in `coordinateProperties.times`, as common tools read them. */
function geoJsonOf({ name, lines }: SavedTrack): string {
  return lines
    .map((line) => {
      const coordinates = line.map(({ latitude, longitude }) => [longitude, latitude]);
      return JSON.stringify({
        type: 'Feature',
        properties: { name, coordinateProperties: { times: line.map(({ at }) => iso(at)) } },
        // A line needs two positions; a single one is a point.
        geometry:
          coordinates.length === 1
            ? { type: 'Point', coordinates: coordinates[0] }
            : { type: 'LineString', coordinates },
      });
    })
    .join(',');
}
