import type { Chart } from './echarts.ts';
import type { Palette } from './palette.ts';

/** Sharp on paper and on a screen of twice the density. */
const DENSITY = 2;
const MARGIN_PX = 12;
const LINE_PX = 20;
const MARK_PX = 20;
const FONT_PX = 13;

/** What stands above the curves, since a picture is looked at away from its page. */
export interface PictureHead {
  /** Whose curves they are. */
  subject: string;
  /** Of each curve, in the order in which they are drawn. */
  names: readonly string[];
  /** From when to when, and by whose clock. */
  note: string;
}

/** The chart as it is drawn now, under its head, as PNG; null where the browser cannot make one. */
export async function curvePicture(
  chart: Chart,
  { subject, names, note }: PictureHead,
  palette: Palette,
): Promise<Blob | null> {
  const drawn = new Image();
  drawn.src = chart.getDataURL({ type: 'png', pixelRatio: DENSITY, backgroundColor: palette.container });
  await drawn.decode();
  const headPx = 2 * MARGIN_PX + (names.length + 2) * LINE_PX;
  const sheet = document.createElement('canvas');
  sheet.width = drawn.width;
  sheet.height = drawn.height + headPx * DENSITY;
  const pen = sheet.getContext('2d');
  if (!pen) return null;
  pen.fillStyle = palette.container;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(drawn, 0, headPx * DENSITY);
  pen.scale(DENSITY, DENSITY);
  pen.textBaseline = 'middle';
  pen.lineWidth = 2;
  const middleOf = (line: number) => MARGIN_PX + (line + 0.5) * LINE_PX;
  pen.fillStyle = palette.text;
  pen.font = `600 ${FONT_PX}px ${palette.font}`;
  pen.fillText(subject, MARGIN_PX, middleOf(0));
  pen.font = `${FONT_PX}px ${palette.font}`;
  names.forEach((name, index) => {
    const y = middleOf(index + 1);
    pen.strokeStyle = palette.series[index % palette.series.length] ?? palette.text;
    pen.setLineDash(index > 0 ? [5, 3] : []);
    pen.beginPath();
    pen.moveTo(MARGIN_PX, y);
    pen.lineTo(MARGIN_PX + MARK_PX, y);
    pen.stroke();
    pen.fillText(name, 2 * MARGIN_PX + MARK_PX, y);
  });
  pen.fillStyle = palette.textSecondary;
  pen.fillText(note, MARGIN_PX, middleOf(names.length + 1));
  return new Promise((resolve) => sheet.toBlob(resolve, 'image/png'));
}
