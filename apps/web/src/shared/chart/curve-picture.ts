import { CHART } from '../ui/tokens.gen.ts';
import type { Chart } from './echarts.ts';
import type { Palette } from './palette.ts';

/** Pixel ratio of the image, for print and high-density screens. */
const DENSITY = 2;

/** Heading of an exported image, because the image is viewed without its page. */
export interface PictureHead {
  /** Subject of the chart, such as the name of the asset. */
  subject: string;
  /** Names of the lines, in drawing order. */
  names: readonly string[];
  /** Time range and time zone. */
  note: string;
}

/** Returns the current chart with a heading as PNG; null if the browser cannot create it. */
export async function curvePicture(
  chart: Chart,
  { subject, names, note }: PictureHead,
  palette: Palette,
): Promise<Blob | null> {
  const drawn = new Image();
  drawn.src = chart.getDataURL({ type: 'png', pixelRatio: DENSITY, backgroundColor: palette.container });
  await drawn.decode();
  const headPx = 2 * CHART.pictureMargin + (names.length + 2) * CHART.pictureRow;
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
  pen.lineWidth = CHART.pictureLine;
  const middleOf = (line: number) => CHART.pictureMargin + (line + 0.5) * CHART.pictureRow;
  pen.fillStyle = palette.text;
  pen.font = `600 ${CHART.pictureText}px ${palette.font}`;
  pen.fillText(subject, CHART.pictureMargin, middleOf(0));
  pen.font = `${CHART.pictureText}px ${palette.font}`;
  names.forEach((name, index) => {
    const y = middleOf(index + 1);
    pen.strokeStyle = palette.series[index % palette.series.length] ?? palette.text;
    pen.setLineDash(index > 0 ? [5, 3] : []);
    pen.beginPath();
    pen.moveTo(CHART.pictureMargin, y);
    pen.lineTo(CHART.pictureMargin + CHART.pictureRow, y);
    pen.stroke();
    pen.fillText(name, 2 * CHART.pictureMargin + CHART.pictureRow, y);
  });
  pen.fillStyle = palette.textSecondary;
  pen.fillText(note, CHART.pictureMargin, middleOf(names.length + 1));
  return new Promise((resolve) => sheet.toBlob(resolve, 'image/png'));
}
