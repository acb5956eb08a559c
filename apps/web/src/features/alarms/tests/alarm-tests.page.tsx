import './tests.css';
import { useText } from '../../../shared/i18n/use-text.ts';
import { PageTabs } from '../../../shared/ui/detail-page.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { TestList } from './test-list.tsx';
import { TestScheduleList } from './test-schedules.tsx';

/** Page of the alarm tests and their schedules. */
export default function AlarmTestsPage() {
  const { text } = useText();
  return (
    <div className="page">
      <PageHead title={text('menu.alarm-tests')} purpose={text('alarm-tests.purpose')} />
      <PageTabs
        tabs={[
          { key: 'tests', label: text('alarm-tests.tab.tests'), content: () => <TestList /> },
          { key: 'schedules', label: text('alarm-tests.tab.schedules'), content: () => <TestScheduleList /> },
        ]}
      />
    </div>
  );
}
