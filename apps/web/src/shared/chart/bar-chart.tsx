import './curve.css';
import { BarChart as Bars } from 'echarts/charts';
import { TooltipComponent } from 'echarts/components';
import { use } from 'echarts/core';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTheme } from '../ui/theme.ts';
import { CHART } from '../ui/tokens.gen.ts';
import { type Chart, init } from './echarts.ts';
import { readPalette } from './palette.ts';

use([Bars, TooltipComponent]);

export interface Bar {
  key: string;
  name: string;
  /** Null where nothing is known: no bar. */
  value: number | null;
  /** The value with its unit, for the tip. */
  words: string;
  /** Address of what it counts; null if the reader may not see it. */
  to: string | null;
}

const HEIGHT_PX = 240;
/** Longest name below a bar, in letters. */
const NAME_LETTERS = 18;

/**
 * Bars by ECharts; a click on one opens what it counts. The chart is a picture for screen readers: the same numbers and links
 * must be in a table beside it.
 */
export default function BarChart({
  label,
  bars,
  onOpen,
}: {
  label: string;
  bars: readonly Bar[];
  onOpen: (to: string) => void;
}) {
  const theme = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const opens = useRef<(index: number) => void>(() => undefined);
  const [width, setWidth] = useState(0);
  opens.current = (index) => {
    const to = bars[index]?.to;
    if (to) onOpen(to);
  };

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
    made.on('click', ({ dataIndex }) => opens.current(dataIndex));
    chart.current = made;
    return () => {
      made.dispose();
      chart.current = null;
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the palette reads.
  useEffect(() => {
    const made = chart.current;
    if (!made || width === 0) return;
    made.resize({ width, height: HEIGHT_PX });
    made.setOption(barOption(bars), { notMerge: true });
  }, [bars, width, theme]);

  return (
    <figure className="chart-frame" ref={frame} style={{ height: HEIGHT_PX }} role="img" aria-label={label}>
      <div ref={canvas} className="chart-canvas" style={{ height: HEIGHT_PX }} />
    </figure>
  );
}

function barOption(bars: readonly Bar[]) {
  const { font, textSecondary, text, container, grid, axis, series } = readPalette();
  const words = { color: textSecondary, fontFamily: font, fontSize: CHART.text };
  return {
    animation: false,
    grid: { left: 8, right: 8, top: 12, bottom: 8, containLabel: true },
    // As HTML, the tip would need styles that the content security policy forbids.
    tooltip: {
      renderMode: 'richText',
      backgroundColor: container,
      borderColor: axis,
      textStyle: { color: text, fontFamily: font, fontSize: CHART.text },
      formatter: ({ dataIndex }: { dataIndex: number }) =>
        `${bars[dataIndex]?.name ?? ''}: ${bars[dataIndex]?.words ?? ''}`,
    },
    xAxis: {
      type: 'category',
      data: bars.map(({ name }) => name),
      axisLabel: {
        ...words,
        hideOverlap: true,
        formatter: (name: string) =>
          name.length > NAME_LETTERS ? `${name.slice(0, NAME_LETTERS - 1)}…` : name,
      },
      axisLine: { lineStyle: { color: axis } },
      axisTick: { show: false },
    },
    yAxis: { type: 'value', axisLabel: words, splitLine: { lineStyle: { color: grid } } },
    series: [
      {
        type: 'bar',
        barMaxWidth: 48,
        itemStyle: { color: series[0] },
        data: bars.map(({ value, to }) => ({ value, cursor: to === null ? 'default' : 'pointer' })),
      },
    ],
  };
}
