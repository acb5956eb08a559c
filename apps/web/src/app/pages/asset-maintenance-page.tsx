import { MaintenanceList } from '../../features/assets/maintenance/maintenance-list.tsx';

export default function AssetMaintenancePage() {
  return <MaintenanceList />;
}
