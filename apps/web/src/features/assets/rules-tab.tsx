import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import './asset.css';
import type { AssetDetail } from '@isotherm/contracts/assets';
import { Link } from 'react-router';
import { isQuantity } from '../../shared/assets/asset-words.ts';
import { formatSetting } from '../../shared/format/duration.ts';
import { levelLabel } from '../../shared/format/labels.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { currentLanguage } from '../../shared/i18n/language.ts';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { Notice } from '../../shared/ui/notice.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';

/** Tab with the alarm rules of an asset, most severe first. */
export function RulesTab({ asset }: { asset: AssetDetail }) {
  const { text } = useViewer();
  const rules = asset.devices
    .flatMap((device) => device.channels)
    .flatMap((channel) => channel.rules.map((rule) => ({ channel, rule })))
    .sort((a, b) => b.rule.level - a.rule.level || a.channel.channelId - b.channel.channelId);
  if (rules.length === 0) {
    return (
      <Notice icon="alarms" title={text('asset.rules.empty')}>
        {text('asset.rules.empty-reason')}
      </Notice>
    );
  }
  return (
    <section className="panel asset-device">
      <TableFrame label={text('asset.tab.rules')}>
        <thead>
          <tr>
            <th>{text('alarms.column.level')}</th>
            <th>{text('asset.sensors.channel')}</th>
            <th>{text('asset.rules.when')}</th>
            <th className="figure">{text('asset.rules.limit')}</th>
            <th className="figure">{text('asset.rules.margin')}</th>
            <th className="figure">{text('asset.rules.trigger')}</th>
            <th>{text('asset.rules.source')}</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ channel, rule }) => {
            const figure = (value: number | null) =>
              value === null || !isQuantity(channel)
                ? EN_RULE
                : comparedWords(channel.indicator, rule.kind, value, currentLanguage(), text);
            return (
              <tr key={rule.id}>
                <td>
                  <span className="row">
                    <LevelGlyph level={rule.level} /> {levelLabel(rule.level, text)}
                  </span>
                </td>
                <td className="strong">{channel.name}</td>
                <td>{faultWords(channel.indicator, rule.kind, text)}</td>
                <td className="figure">
                  <bdi dir="ltr">{figure(rule.limitValue)}</bdi>
                </td>
                <td className="figure secondary">
                  <bdi dir="ltr">{figure(isSilence(rule.kind) ? null : rule.recoveryMargin)}</bdi>
                </td>
                <td className="figure">
                  {rule.triggerAfterMs === 0
                    ? text('asset.rules.at-once')
                    : formatSetting(rule.triggerAfterMs, text)}
                </td>
                <td className="secondary">
                  {rule.policy ? (
                    <Link to={`/alarm/policies/${rule.policy.id}`}>{rule.policy.name}</Link>
                  ) : (
                    text('asset.rules.own')
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
    </section>
  );
}
