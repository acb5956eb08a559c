import { type AlarmAnalysis, NO_REASON } from '@isotherm/contracts/alarm-history';
import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled } from '../../../shared/i18n/phrases.ts';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { PeriodField } from '../../../shared/ui/list/period-filter.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { DelayPanel } from './delay-panel.tsx';
import { analysisQuery } from './history.queries.ts';
import { hourText, weekdayText } from './history-words.ts';
import { WeekMap } from './week-map.tsx';

const WORST_FIRST = [...ALARM_LEVELS].reverse();
/** Filters of the analysis in the address; the list of the history has the same. */
const KEYS = ['from', 'to', 'level', 'organizationId', 'acknowledged', 'reason'] as const;

/** Builds the address of the history list with the filters of the analysis and another one. */
function useListAddress(): (filter: Readonly<Record<string, string>>) => string {
  const [params] = useUrlState();
  return (filter) => {
    const query = new URLSearchParams();
    for (const key of KEYS) if (params.get(key)) query.set(key, params.get(key) as string);
    for (const [key, value] of Object.entries(filter)) query.set(key, value);
    return `/alarm/graded?${query}`;
  };
}

/** Analysis of the alarms of a period. Each number links to the alarms that it counts. */
export function AlarmAnalysisView({ switcher }: { switcher: ReactNode }) {
  const { text } = useViewer();
  const organizations = useOrganizations();
  const [params, change] = useUrlState();
  const query = Object.fromEntries(KEYS.flatMap((key) => (params.get(key) ? [[key, params.get(key)]] : [])));
  const { data, error, refetch, isPlaceholderData } = useQuery(analysisQuery(query));
  return (
    <div className="page">
      <PageHead title={text('alarms.analysis.title')} purpose={text('alarms.analysis.purpose')}>
        {switcher}
      </PageHead>
      <div className="analysis-filters">
        <PeriodField
          values={{ from: params.get('from') ?? '', to: params.get('to') ?? '' }}
          onChange={change}
        />
        <TreeSelect
          className="list-tree"
          aria-label={text('users.organization')}
          nodes={organizations.nodes}
          loading={organizations.loading}
          clearable
          placeholder={text('stats.all-organizations')}
          value={Number(params.get('organizationId')) || undefined}
          onChange={(id) => change({ organizationId: id ?? null })}
        />
        <Select
          aria-label={text('alarms.column.level')}
          className="analysis-level"
          allowClear
          placeholder={text('alarms.history.all-levels')}
          value={params.get('level')}
          options={WORST_FIRST.map((level) => ({ value: String(level), label: levelLabel(level, text) }))}
          onChange={(level) => change({ level: level ?? null })}
        />
      </div>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <div
          className={isPlaceholderData ? 'analysis stats-waiting' : 'analysis'}
          aria-busy={isPlaceholderData}
        >
          <Loaded analysis={data} />
        </div>
      ) : null}
      {!data && !error ? <div className="panel skeleton skeleton-body" /> : null}
    </div>
  );
}

function Loaded({ analysis }: { analysis: AlarmAnalysis }) {
  const { text } = useViewer();
  const addressOf = useListAddress();
  if (analysis.total === 0)
    return (
      <section className="panel analysis-wide">
        <Notice icon="alarms" title={text('alarms.history.empty.title')}>
          {text('alarms.history.empty.reason')}
        </Notice>
      </section>
    );
  return (
    <>
      <Summary analysis={analysis} />
      <WeekMap hours={analysis.hours} addressOf={addressOf} />
      <DelayPanel levels={analysis.acknowledgement} />
      <Assets analysis={analysis} addressOf={addressOf} />
      <Reasons analysis={analysis} addressOf={addressOf} />
      <Steps analysis={analysis} />
    </>
  );
}

type AddressOf = ReturnType<typeof useListAddress>;

function Summary({ analysis }: { analysis: AlarmAnalysis }) {
  const { text, time, language } = useViewer();
  const { total, totalBefore, concentration, hours } = analysis;
  const change = total - totalBefore;
  let busiest = { weekday: 1, hour: 0, count: 0 };
  hours.forEach((ofDay, day) => {
    ofDay.forEach((count, hour) => {
      if (count > busiest.count) busiest = { weekday: day + 1, hour, count };
    });
  });
  const comparison =
    change === 0 ? 'alarms.analysis.same' : change < 0 ? 'alarms.analysis.fewer' : 'alarms.analysis.more';
  return (
    <section className="panel analysis-summary">
      <strong>
        {text('alarms.analysis.total', { count: total })} {text(comparison, { count: Math.abs(change) })}
      </strong>
      <span className="secondary">
        {text('alarms.analysis.period', {
          from: time(analysis.from, 'date'),
          to: time(analysis.to, 'date'),
        })}{' '}
        {concentration ? `${text('alarms.analysis.concentration', concentration)} ` : ''}
        {text('alarms.analysis.busiest', {
          weekday: weekdayText(busiest.weekday, language, 'long'),
          hour: hourText(busiest.hour),
          count: busiest.count,
        })}
      </span>
    </section>
  );
}

function Panel({
  title,
  hint,
  className = '',
  children,
}: {
  title: string;
  hint?: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section className={`panel analysis-panel ${className}`} aria-label={title}>
      <div className="analysis-head">
        <h2>{title}</h2>
        {hint ? <span className="small tertiary">{hint}</span> : null}
      </div>
      {children}
    </section>
  );
}

function Assets({ analysis, addressOf }: { analysis: AlarmAnalysis; addressOf: AddressOf }) {
  const { text, language } = useViewer();
  const { assets, assetCount } = analysis;
  return (
    <Panel
      title={text('alarms.analysis.assets')}
      hint={text('alarms.analysis.assets.hint', { shown: assets.length, count: assetCount })}
      className="analysis-assets"
    >
      <table className="analysis-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{text('alarms.column.asset')}</span>
            </th>
            {WORST_FIRST.map((level) => (
              <th key={level} scope="col">
                <LevelGlyph level={level} />
                <span className="visually-hidden">{levelLabel(level, text)}</span>
              </th>
            ))}
            <th scope="col" className="small tertiary">
              {text('alarms.analysis.all')}
            </th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset.id}>
              <th scope="row">
                <Link to={addressOf({ search: asset.name })}>{asset.name}</Link>{' '}
                <span className="small tertiary">{asset.place}</span>
              </th>
              {WORST_FIRST.map((level) => (
                <td key={level}>
                  {asset.levels[level - 1] ? (
                    <span className={`analysis-count level-${level}`}>
                      {integer(language, asset.levels[level - 1] as number)}
                    </span>
                  ) : null}
                </td>
              ))}
              <td className="number strong">{integer(language, asset.total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

const severeOf = (levels: readonly number[]) => levels.slice(2).reduce((sum, count) => sum + count, 0);

function Reasons({ analysis, addressOf }: { analysis: AlarmAnalysis; addressOf: AddressOf }) {
  const { text, language } = useViewer();
  const most = Math.max(...analysis.reasons.map(({ total }) => total));
  return (
    <Panel
      title={text('alarms.analysis.reasons')}
      hint={text('alarms.analysis.reasons.hint')}
      className="analysis-reasons"
    >
      <ul className="analysis-bars">
        {analysis.reasons.map(({ reason, levels, total }) => {
          const severe = severeOf(levels);
          return (
            <li key={reason ?? NO_REASON}>
              <Link to={addressOf({ reason: reason ?? NO_REASON })}>
                {text(reason ? REASON_WORDS[reason] : 'alarms.history.no-reason')}
              </Link>
              <span
                className="analysis-bar"
                role="img"
                aria-label={text('alarms.analysis.severe', { severe, count: total })}
              >
                <i className="analysis-bar-severe" style={{ width: `${(severe / most) * 100}%` }} />
                <i className="analysis-bar-rest" style={{ width: `${((total - severe) / most) * 100}%` }} />
              </span>
              <span className="number strong">{integer(language, total)}</span>
            </li>
          );
        })}
      </ul>
      <p className="small tertiary analysis-legend">
        <i className="analysis-bar-severe" /> {text('alarms.analysis.levels-severe')}
        <i className="analysis-bar-rest" /> {text('alarms.analysis.levels-rest')}
      </p>
    </Panel>
  );
}

function Steps({ analysis }: { analysis: AlarmAnalysis }) {
  const { text, time } = useViewer();
  const { steps, stepDays } = analysis;
  return (
    <Panel
      title={text(stepDays === 1 ? 'alarms.analysis.days' : 'alarms.analysis.weeks')}
      className="analysis-steps"
    >
      {WORST_FIRST.map((level) => (
        <StepRow key={level} level={level} analysis={analysis} />
      ))}
      <div className="analysis-ends small tertiary">
        <span>{time(steps[0]?.from ?? analysis.from, 'day')}</span>
        <span>{time(analysis.to, 'day')}</span>
      </div>
    </Panel>
  );
}

function StepRow({ level, analysis }: { level: AlarmLevel; analysis: AlarmAnalysis }) {
  const { text, time, language } = useViewer();
  const counts = analysis.steps.map(({ levels }) => levels[level - 1] as number);
  const most = Math.max(1, ...counts);
  const total = analysis.levels[level - 1] as number;
  return (
    <div className={`analysis-step level-${level}`}>
      <LevelGlyph level={level} />
      <span
        className="analysis-columns"
        role="img"
        aria-label={labelled(text, levelLabel(level, text), text('alarms.analysis.total', { count: total }))}
      >
        {counts.map((count, i) => (
          <i
            key={analysis.steps[i]?.from}
            title={`${time(analysis.steps[i]?.from ?? '', 'date')}: ${count}`}
            style={{ height: `${(count / most) * 100}%` }}
          />
        ))}
      </span>
      <span className="number strong">{integer(language, total)}</span>
    </div>
  );
}
