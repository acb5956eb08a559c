/** Colours on paper. */
export const PAPER_INK = {
  text: '#13202a',
  quiet: '#5f6d78',
  grid: '#e3e8ec',
  band: '#e9eff3',
  curve: '#0b5f82',
  envelope: '#c3dae5',
  other: '#9fb4c0',
  hatch: '#c3cbd1',
  alarm: '#b5172c',
} as const;

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => ESCAPED[sign] as string);

/** Writes an element of SVG. Children are elements, not text. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[] = [],
): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(typeof value === 'number' ? rounded(value) : value)}"`)
    .join('');
  return `<${name}${written}>${children.join('')}</${name}>`;
}

const rounded = (value: number) => String(Math.round(value * 100) / 100);

/** Writes a text of SVG in the font of the documents. */
export function textElement(
  text: string,
  {
    x,
    y,
    anchor = 'start',
    ink = PAPER_INK.quiet,
    bold = false,
    size = 7,
  }: {
    x: number;
    y: number;
    anchor?: 'start' | 'middle' | 'end';
    ink?: string;
    bold?: boolean;
    size?: number;
  },
): string {
  const look = {
    x,
    y,
    fill: ink,
    'font-size': size,
    'text-anchor': anchor,
    'font-weight': bold ? 'bold' : 'normal',
  };
  return element('text', look, [escaped(text)]);
}
