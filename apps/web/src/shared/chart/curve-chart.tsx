import './curve.css';
import { timeTicks } from '@isotherm/domain/readings/axis-scale';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatTime } from '../format/time.ts';
import { useViewer } from '../format/viewer.tsx';
import { useTheme } from '../ui/theme.ts';
import { curveLayout } from './curve-layout.ts';
import type { ChartBand, ChartSeries, ChartSpan, TimeRange } from './curve-model.ts';
import { curveOption, curveScales } from './curve-option.ts';
import { CurveOverlay } from './curve-overlay.tsx';
import { curvePicture, type PictureHead } from './curve-picture.ts';
import { type Chart, init } from './echarts.ts';
import { readPalette } from './palette.ts';

const DAY_MS = 86_400_000;

export interface DrawnCurve {
  picture(head: PictureHead): Promise<Blob | null>;
}

interface CurveChartProps {
  ref?: Ref<DrawnCurve>;
  range: TimeRange;
  series: readonly ChartSeries[];
  lanes: readonly (ChartSeries & { title: string })[];
  spans: readonly ChartSpan[];
  bands: readonly ChartBand[];
  lowLabel: string;
  highLabel: string;
  height: number;
  cursor: number | null;
  label: string;
  onCursor: (moment: number | null) => void;
  /** `brush` is a selection that the *Back* button undoes; `wheel` is one of many small steps. */
  onRange: (range: TimeRange, by: 'brush' | 'wheel') => void;
  /** Called with the width of the plot in px, which determines how many points to request. */
  onWidth: (width: number) => void;
}

/**
 * The chart (ui.md, patterns): limits, range between minimum and maximum, excursions, gaps, periods of
 * alarms, and rows for on/off channels.
 */
export default function CurveChart(props: CurveChartProps) {
  const {
    range,
    series,
    lanes,
    spans,
    bands,
    lowLabel,
    highLabel,
    height,
    cursor,
    onCursor,
    onRange,
    onWidth,
  } = props;
  const { language, zone } = useViewer();
  const theme = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const [width, setWidth] = useState(0);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const made = init(element, null, { renderer: 'canvas' });
    chart.current = made;
    return () => {
      made.dispose();
      chart.current = null;
    };
  }, []);

  useImperativeHandle(
    props.ref,
    () => ({
      picture: async (head) => chart.current && curvePicture(chart.current, head, readPalette()),
    }),
    [],
  );

  const scales = useMemo(() => curveScales(series, range), [series, range]);
  const layout = useMemo(
    () => curveLayout(Math.max(width, 200), height, lanes.length, scales.second !== null),
    [width, height, lanes.length, scales.second],
  );
  useEffect(() => {
    if (width > 0) onWidth(layout.plotWidth);
  }, [width, layout.plotWidth, onWidth]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the palette reads.
  useEffect(() => {
    const made = chart.current;
    if (!made || width === 0) return;
    const { ticks, step } = timeTicks(range.from, range.to, layout.plotWidth, zone);
    const shape = step >= DAY_MS ? 'day' : step < 60_000 ? 'time-seconds' : 'time';
    const labelled = ticks.map((tick) => ({
      ...tick,
      label: formatTime(tick.at, tick.midnight ? 'day' : shape, language, zone),
    }));
    made.resize({ width, height });
    made.setOption(
      curveOption(
        { series, lanes, spans, bands, ticks: labelled, lowLabel, highLabel },
        layout,
        range,
        readPalette(),
      ),
      { notMerge: true },
    );
  }, [series, lanes, spans, bands, lowLabel, highLabel, layout, range, width, height, language, zone, theme]);

  return (
    <div className="chart-frame" ref={frame} style={{ height }}>
      <div ref={canvas} className="chart-canvas" style={{ height }} />
      <CurveOverlay
        layout={layout}
        range={range}
        scale={scales.first}
        main={series[0]}
        cursor={cursor}
        label={props.label}
        onCursor={onCursor}
        onRange={onRange}
      />
    </div>
  );
}
