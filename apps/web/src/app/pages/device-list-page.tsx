import { DeviceList } from '../../features/devices/registry/device-list.tsx';

export default function DeviceListPage() {
  return <DeviceList />;
}
