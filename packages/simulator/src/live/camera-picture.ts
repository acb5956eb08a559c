/** The scene that a camera inside an asset shows. */
export interface Scene {
  /** Temperature on the display; null if the display is dark. */
  temperatureC: number | null;
  doorOpen: boolean;
  powered: boolean;
  /** Local time such as `14:05:09`. */
  time: string;
  /** Seed that determines the contents of the shelves. */
  seed: number;
}

const WIDTH = 640;
const HEIGHT = 480;
const SHELVES = [130, 250, 370];
const BOX_COLOURS = ['#c9d7df', '#dfe6d3', '#e8dcc4', '#d9cfe3', '#cfe0e6'];

/** Segments of each digit, clockwise from the top; the middle one is last. */
const SEGMENTS: Readonly<Record<string, string>> = {
  '0': 'abcdef',
  '1': 'bc',
  '2': 'abged',
  '3': 'abgcd',
  '4': 'fgbc',
  '5': 'afgcd',
  '6': 'afgedc',
  '7': 'abc',
  '8': 'abcdefg',
  '9': 'abcdfg',
  '−': 'g',
  C: 'afed',
};
/** Position of each segment: x, y, width and height in units of an eighth of the digit's width. */
const SEGMENT_BOXES: Readonly<Record<string, readonly [number, number, number, number]>> = {
  a: [1, 0, 6, 1],
  b: [7, 1, 1, 6],
  c: [7, 8, 1, 6],
  d: [1, 14, 6, 1],
  e: [0, 8, 1, 6],
  f: [0, 1, 1, 6],
  g: [1, 7, 6, 1],
};
const POINTS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  '.': [[0, 14]],
  ':': [
    [0, 4],
    [0, 10],
  ],
  '°': [[0, 0]],
};

/** Returns digits as a path of rectangles, so that no fonts are needed. */
export function digitsPath(text: string, x: number, y: number, unit: number): string {
  let left = x;
  let path = '';
  const rectangle = (dx: number, dy: number, width: number, height: number) => {
    path += `M${left + dx * unit} ${y + dy * unit}h${width * unit}v${height * unit}h${-width * unit}z`;
  };
  for (const character of text) {
    for (const [dx, dy] of POINTS[character] ?? []) rectangle(dx, dy, 1.6, 1.6);
    for (const segment of SEGMENTS[character] ?? '') {
      const [dx, dy, width, height] = SEGMENT_BOXES[segment]!;
      rectangle(dx, dy, width, height);
    }
    left += unit * (character in POINTS ? 3.5 : 10.5);
  }
  return path;
}

function boxes(seed: number): string {
  let state = seed % 2_147_483_647;
  const next = (most: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
  return SHELVES.map((bottom) => {
    let x = 56 + next(30);
    let row = '';
    while (x < WIDTH - 150) {
      const [width, height] = [44 + next(52), 38 + next(42)];
      const colour = BOX_COLOURS[next(BOX_COLOURS.length)];
      row += `<rect x="${x}" y="${bottom - height}" width="${width}" height="${height}" rx="3" fill="${colour}"/>`;
      row += `<rect x="${x + 8}" y="${bottom - height + 10}" width="${width - 16}" height="5" fill="#7f93a0"/>`;
      x += width + 6 + next(34);
    }
    return `${row}<rect x="36" y="${bottom}" width="${WIDTH - 72}" height="5" fill="#9fb0ba"/>`;
  }).join('');
}

/** Returns the image of a camera as SVG: shelves, the time, and the temperature on the display. */
export function cameraPicture({ temperatureC, doorOpen, powered, time, seed }: Scene): string {
  const light = doorOpen ? '#f7fbfd' : powered ? '#d5e2e9' : '#5f6d76';
  const shade = powered || doorOpen ? 0 : 0.55;
  const value = temperatureC === null ? '' : `${temperatureC.toFixed(1).replace('-', '−')}°C`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#3c4a54"/>
<rect x="24" y="20" width="${WIDTH - 48}" height="${HEIGHT - 64}" rx="10" fill="${light}"/>
${boxes(seed)}
<rect x="24" y="20" width="${WIDTH - 48}" height="${HEIGHT - 64}" rx="10" fill="#0a1116" opacity="${shade}"/>
<rect y="${HEIGHT - 52}" width="${WIDTH}" height="52" fill="#0a1116"/>
<path fill="#e6ecf0" d="${digitsPath(time, 24, HEIGHT - 42, 2)}"/>
<path fill="#7fe0a8" d="${digitsPath(value, WIDTH - 150, HEIGHT - 42, 2)}"/>
</svg>`;
}
