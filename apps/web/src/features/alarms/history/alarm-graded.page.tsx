import './history.css';
import Segmented from 'antd/es/segmented';
import { useText } from '../../../shared/i18n/use-text.ts';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { AlarmAnalysisView } from './analysis-view.tsx';
import { HistoryList } from './history-list.tsx';

const PARTS = ['history', 'analysis'] as const;
const SHOWN = ['level', 'asset', 'place', 'value', 'raised', 'duration', 'state', 'acknowledged'] as const;

/** Page with all alarms raised in a period: as a list, or as an analysis of when and where they were raised. */
export default function AlarmGradedPage() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const part = oneOf(PARTS, params.get('part')) ?? 'history';
  const switcher = (
    <Segmented
      aria-label={text('alarms.history.part')}
      value={part}
      options={PARTS.map((each) => ({ value: each, label: text(`alarms.history.part.${each}`) }))}
      onChange={(next) => change({ part: next === 'history' ? null : next })}
    />
  );
  if (part === 'analysis') return <AlarmAnalysisView switcher={switcher} />;
  return (
    <HistoryList
      name="alarm-graded"
      title={text('menu.alarm-graded')}
      purpose={text('alarms.history.purpose')}
      shown={SHOWN}
      actions={switcher}
    />
  );
}
