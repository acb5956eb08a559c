import type { BackTestAlarm, BackTestChannel } from '@isotherm/contracts/back-test';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import Segmented from 'antd/es/segmented';
import { useState } from 'react';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { currentLanguage } from '../../../shared/i18n/language.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import type { BackTestAnswer } from './back-test-draft.ts';

/** Number of alarms that are listed before the user asks for all of them. */
const FEW = 6;
type Which = 'new' | 'all' | 'lost';

/**
 * Lists the alarms of a back-test in three views: alarms that only the draft raises, all alarms of the draft,
 * and alarms that only the rules in force raise.
 */
export function BackTestAlarms({
  answer: { draft, inForce },
  channels,
}: {
  answer: BackTestAnswer;
  channels: readonly BackTestChannel[];
}) {
  const { text, time } = useViewer();
  const [chosen, setChosen] = useState<Which | null>(null);
  const [isWhole, setWhole] = useState(false);
  const total = { new: draft.onlyHere, all: draft.total, lost: inForce.onlyHere };
  const which: Which = chosen ?? (total.new > 0 ? 'new' : 'all');
  if (draft.total === 0 && inForce.onlyHere === 0) return null;
  const found = (which === 'lost' ? inForce : draft).alarms.filter(
    ({ isOnlyHere }) => which === 'all' || isOnlyHere,
  );
  const sorted = found.toSorted((a, b) => Date.parse(b.since) - Date.parse(a.since));
  const shown = isWhole ? sorted : sorted.slice(0, FEW);
  const channelOf = new Map(channels.map((channel) => [channel.id, channel]));
  return (
    <div>
      <Segmented<Which>
        aria-label={text('policies.test.list')}
        value={which}
        options={(['new', 'all', 'lost'] as const).map((value) => ({
          value,
          label: text(`policies.test.list.${value}`, { count: total[value] }),
        }))}
        onChange={setChosen}
      />
      {shown.length === 0 ? (
        <p className="secondary">{text('policies.test.list.none')}</p>
      ) : (
        <TableFrame label={text('policies.test.list')}>
          <thead>
            <tr>
              <th>{text('alarms.column.since')}</th>
              <th>{text('alarms.column.asset')}</th>
              <th className="figure">{text('alarms.column.duration')}</th>
              <th className="figure">{text('alarms.column.value')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((alarm) => {
              const channel = channelOf.get(alarm.channelId);
              return (
                <tr key={`${alarm.channelId} ${alarm.kind} ${alarm.since}`}>
                  <td>
                    <LevelGlyph level={alarm.level} /> {time(alarm.since, 'day-time')}
                  </td>
                  <td>
                    {channel?.assetId ? (
                      <AssetLink assetId={channel.assetId} to={chartQuery(alarm)}>
                        {channel.assetName}
                      </AssetLink>
                    ) : (
                      channel?.assetName
                    )}
                    <div className="small tertiary">{channel?.name}</div>
                  </td>
                  <td className="figure">{formatDuration(alarm.durationMs, text)}</td>
                  <td className="figure">
                    {channel ? (
                      <bdi dir="ltr" title={faultWords(channel.indicator, alarm.kind, text)}>
                        {comparedWords(channel.indicator, alarm.kind, alarm.peak, currentLanguage(), text)}
                      </bdi>
                    ) : null}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </TableFrame>
      )}
      {sorted.length > FEW && !isWhole ? (
        <Button variant="link" onClick={() => setWhole(true)}>
          {text('policies.test.list.more', { count: sorted.length })}
        </Button>
      ) : null}
      {isWhole && sorted.length < total[which] ? (
        <p className="small secondary">
          {text('policies.test.list.limited', { shown: sorted.length, total: total[which] })}
        </p>
      ) : null}
    </div>
  );
}

/** Returns the address of the chart around an alarm, below the page of the asset. */
function chartQuery({ since, durationMs, channelId }: BackTestAlarm): string {
  const beside = Math.max(3_600_000, durationMs / 2);
  const from = Date.parse(since);
  const range = [from - beside, from + durationMs + beside].map((at) => new Date(at).toISOString());
  return `?tab=curve&channels=${channelId}&from=${range[0]}&to=${range[1]}`;
}
