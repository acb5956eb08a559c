import { RoleList } from '../../features/identity/roles/role-list.tsx';

export default function ManagementRolesPage() {
  return <RoleList />;
}
