import { useText } from '../../shared/i18n/use-text.ts';
import { PageTabs } from '../../shared/ui/detail-page.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { BalanceWarningList } from './balance-warning-list.tsx';
import { DueList } from './due-list.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { ReminderList } from './reminder-list.tsx';

/** Page with the items that fall due, the reminders, balance warnings, and the renewal policy. */
export default function RemindersPage() {
  const { text } = useText();
  return (
    <div className="page">
      <PageHead title={text('menu.recharge-reminders')} purpose={text('reminders.purpose')} />
      <PageTabs
        tabs={[
          { key: 'due', label: text('reminders.tab.due'), content: () => <DueList /> },
          { key: 'reminders', label: text('reminders.tab.reminders'), content: () => <ReminderList /> },
          {
            key: 'balance',
            label: text('balance-warnings.tab'),
            content: () => <BalanceWarningList />,
          },
          { key: 'policy', label: text('reminders.tab.policy'), content: () => <PolicyPanel /> },
        ]}
      />
    </div>
  );
}
