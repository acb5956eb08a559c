import { UpgradePage } from '../../features/devices/upgrade/upgrade-page.tsx';

export default function DeviceUpgradePage() {
  return <UpgradePage />;
}
