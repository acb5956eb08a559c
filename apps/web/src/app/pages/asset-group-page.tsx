import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { GroupPage } from '../../features/assets/groups/group-page.tsx';
import { groupsQuery } from '../../features/assets/groups/groups.queries.ts';
import { useCrumbTitle } from '../crumb.ts';

export default function AssetGroupPage() {
  const id = Number(useParams().id);
  const { data: groups } = useQuery(groupsQuery);
  useCrumbTitle(groups?.find((group) => group.id === id)?.name);
  return <GroupPage />;
}
