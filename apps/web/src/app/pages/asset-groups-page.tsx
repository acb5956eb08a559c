import { GroupList } from '../../features/assets/groups/group-list.tsx';

export default function AssetGroupsPage() {
  return <GroupList />;
}
