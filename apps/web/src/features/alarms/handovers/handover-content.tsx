import './handovers.css';
import type { HandoverContent as Content, HandoverAlarm } from '@isotherm/contracts/handovers';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { HANDOVER_SECTIONS, type HandoverSection } from '@isotherm/domain/alarms/handover';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import { Link } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { Lasting, useViewer } from '../../../shared/format/viewer.tsx';
import { currentLanguage } from '../../../shared/i18n/language.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';

/** What is handed over: the numbers, the alarms of each section, suppression windows and gaps of cover. */
export function HandoverContent({ content }: { content: Content }) {
  const { text, time } = useViewer();
  const alarms = new Map(content.alarms.map((alarm) => [alarm.id, alarm]));
  const alarmsOf = (section: HandoverSection) =>
    content.sections[section].flatMap((id) => alarms.get(id) ?? []);
  return (
    <>
      <dl className="handover-counts">
        {HANDOVER_SECTIONS.map((section) => (
          <div key={section}>
            <dt className="small secondary">{text(`handovers.section.${section}`)}</dt>
            <dd className="number">{content.sections[section].length}</dd>
          </div>
        ))}
      </dl>
      {HANDOVER_SECTIONS.map((section) => (
        <section key={section} className="panel handover-section">
          <h2>
            {text(`handovers.section.${section}`)}{' '}
            <span className="count">{content.sections[section].length}</span>
          </h2>
          {content.sections[section].length === 0 ? (
            <p className="secondary">{text('handovers.none')}</p>
          ) : (
            <AlarmRows alarms={alarmsOf(section)} label={text(`handovers.section.${section}`)} />
          )}
        </section>
      ))}
      <section className="panel handover-section">
        <h2>{text('handovers.suppressions')}</h2>
        {content.suppressions.length === 0 ? (
          <p className="secondary">{text('handovers.suppressions.none')}</p>
        ) : (
          <ul className="handover-list">
            {content.suppressions.map((window) => (
              <li key={window.id}>
                <span className="strong">{window.targetName}</span> {window.reason}
                <div className="small secondary">
                  {`${text(`suppressions.kind.${window.kind}`)} · ${text('handovers.until-time', { time: time(window.until, 'date-time') })} · ${window.owner}`}
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="panel handover-section">
        <h2>{text('handovers.gaps')}</h2>
        {content.gaps.length === 0 ? (
          <p className="secondary">{text('handovers.gaps.none')}</p>
        ) : (
          <ul className="handover-list">
            {content.gaps.map((gap) => (
              <li key={`${gap.schedule} ${gap.from}`}>
                <span className="strong">{gap.schedule}</span>{' '}
                {text('handovers.gaps.span', {
                  from: time(gap.from, 'date-time'),
                  until: time(gap.until, 'date-time'),
                })}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

function AlarmRows({ alarms, label }: { alarms: readonly HandoverAlarm[]; label: string }) {
  const { text, time } = useViewer();
  return (
    <TableFrame label={label}>
      <thead>
        <tr>
          <th scope="col">{text('alarms.column.level')}</th>
          <th scope="col">{text('handovers.alarm')}</th>
          <th scope="col">{text('handovers.asset')}</th>
          <th scope="col" className="figure">
            {text('handovers.peak')}
          </th>
          <th scope="col">{text('handovers.since')}</th>
          <th scope="col">{text('handovers.duration')}</th>
          <th scope="col">{text('handovers.acknowledged-by')}</th>
        </tr>
      </thead>
      <tbody>
        {alarms.map((alarm) => (
          <tr key={alarm.id}>
            <td>
              <LevelGlyph level={alarm.level} mode={alarm.endedAt === null ? 'solid' : 'ended'} />
            </td>
            <td>
              <Link to={`/alarm/${alarm.id}`}>{faultOf(alarm, text)}</Link>
            </td>
            <td>
              <span className="strong">{alarm.assetName}</span>
              <div className="small tertiary">{`${alarm.channelName} · ${alarm.organizationName}`}</div>
            </td>
            <td className="figure">
              <bdi dir="ltr">{peakOf(alarm, text)}</bdi>
            </td>
            <td className="number">{time(alarm.since, 'date-time')}</td>
            <td>
              <Lasting since={alarm.since} until={alarm.endedAt} />
            </td>
            <td>{alarm.acknowledgedBy ?? text('alarms.nobody')}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function faultOf(alarm: HandoverAlarm, text: Text): string {
  if (alarm.subject === 'device' && isSilence(alarm.kind)) return text('alarms.fault.offline');
  return faultWords(alarm.indicator, alarm.kind, text);
}

function peakOf({ indicator, kind, peakValue }: HandoverAlarm, text: Text): string {
  if (peakValue === null || INDICATORS[indicator].kind === 'switch') return EN_RULE;
  return comparedWords(indicator, kind, peakValue, currentLanguage(), text);
}
