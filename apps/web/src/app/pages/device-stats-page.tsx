import { DeviceStatsPage } from '../../features/devices/stats/device-stats-page.tsx';

export default function DeviceStatistics() {
  return <DeviceStatsPage />;
}
