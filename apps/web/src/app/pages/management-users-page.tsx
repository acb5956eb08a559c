import { UserList } from '../../features/identity/users/user-list.tsx';

export default function ManagementUsersPage() {
  return <UserList />;
}
