import { GroupPage } from '../../features/assets/groups/group-page.tsx';

export default function AssetGroupPage() {
  return <GroupPage />;
}
