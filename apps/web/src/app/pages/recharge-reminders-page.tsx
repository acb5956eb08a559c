import { RemindersPage } from '../../features/reminders/reminders-page.tsx';

export default function RechargeRemindersPage() {
  return <RemindersPage />;
}
