import { MappingList } from '../../features/devices/mappings/mapping-list.tsx';

export default function DeviceMappingsPage() {
  return <MappingList />;
}
