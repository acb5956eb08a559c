import { LogList } from '../../features/settings/logs/log-list.tsx';

export default function ManagementLogsPage() {
  return <LogList />;
}
