import type { Alarm } from '@isotherm/contracts/alarms';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Navigate, useParams } from 'react-router';
import { AlarmFiles } from '../../features/alarms/alarm-files.tsx';
import { AlarmPage, type AlarmSpan } from '../../features/alarms/alarm-page.tsx';
import { assetQuery } from '../../features/assets/assets.queries.ts';
import { AlarmPictures } from '../../features/assets/webcams/alarm-pictures.tsx';
import { AlarmChart } from '../../features/telemetry/alarm-chart.tsx';
import { aroundAlarm } from '../../features/telemetry/curve-window.ts';
import { usePermission } from '../../shared/access/permissions.ts';
import { serverNow } from '../../shared/api/clock.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

const CHART_PX = 260;
/**
 * Maximum number of switch channels (such as doors) of the asset that are shown, because they may explain the
 * excursion.
 */
const MOST_LANES = 3;

/** Page of one alarm, at the address `/alarm/:id`. */
export default function AlarmDetailPage() {
  const id = Number(useParams().id);
  // An address without a number is another page that the user may not see.
  if (!Number.isSafeInteger(id) || id <= 0) return <Navigate to="/404" replace />;
  return (
    <AlarmPage
      key={id}
      id={id}
      chart={(alarm, levels) => <ChartPanel alarm={alarm} levels={levels} />}
      pictures={
        <>
          <AlarmFiles alarmId={id} />
          <AlarmPictures alarmId={id} />
        </>
      }
    />
  );
}

function ChartPanel({ alarm, levels }: { alarm: Alarm; levels: readonly AlarmSpan[] }) {
  const { text, time } = useViewer();
  const seesAssets = usePermission('asset:view');
  const { data: asset } = useQuery({
    ...assetQuery(alarm.assetId),
    enabled: seesAssets && alarm.assetId > 0,
  });
  const { id, since, endedAt, channelId, channelName, indicator, kind, limitValue } = alarm;
  // The range is computed once while the page is open; otherwise the range around an open alarm would move
  // every second.
  const { range, now } = useMemo(() => {
    const opened = serverNow();
    return { range: aroundAlarm({ since, endedAt }, opened), now: opened };
  }, [since, endedAt]);
  const channels = useMemo(
    () =>
      (asset?.devices ?? []).flatMap((device) =>
        device.channels.map((each) => ({
          channelId: each.channelId,
          name: each.name,
          indicator: each.indicator,
        })),
      ),
    [asset],
  );
  const isSwitch = INDICATORS[indicator].kind === 'switch';
  const own = useMemo(
    () => ({ channelId, name: channelName, indicator }),
    [channelId, channelName, indicator],
  );
  const main = channels.find((each) => each.channelId === asset?.main?.channelId);
  const lanes = useMemo(
    () =>
      [...(isSwitch ? [own] : []), ...channels.filter((each) => each.channelId !== channelId)]
        .filter((each) => INDICATORS[each.indicator].kind === 'switch')
        .slice(0, MOST_LANES),
    [channels, own, channelId, isSwitch],
  );
  const shown = isSwitch ? main : own;
  const drawn = useMemo(() => {
    const length = (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(since);
    const duration = formatDuration(length, text);
    const highest = Math.max(...levels.map(({ level }) => level));
    const longest = levels.find(({ level }) => level === highest);
    return {
      id,
      channelId,
      kind,
      limitValue,
      levels: levels.map((span, index) => ({
        ...span,
        to: index === levels.length - 1 && endedAt === null ? now : span.to,
        label: span === longest ? (endedAt === null ? text('curve.open-alarm', { duration }) : duration) : '',
      })),
    };
  }, [id, channelId, kind, limitValue, levels, since, endedAt, now, text]);
  if (!seesAssets || !shown) return null;
  return (
    <section className="panel alarm-panel alarm-panel-body" aria-label={text('alarms.page.chart')}>
      <header className="alarm-panel-head">
        <h2>{text('alarms.page.chart')}</h2>
        <span className="small tertiary">{shown.name}</span>
        {limitValue === null || isSwitch ? null : (
          <span className="small tertiary end row">
            <Icon name="lock" small />
            {text('alarms.page.frozen', { time: time(alarm.raisedAt, 'day-time') })}
          </span>
        )}
      </header>
      <AlarmChart channel={shown} lanes={lanes} range={range} alarm={drawn} height={CHART_PX} />
    </section>
  );
}
