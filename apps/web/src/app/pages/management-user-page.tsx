import { UserPage } from '../../features/identity/users/user-page.tsx';

export default function ManagementUserPage() {
  return <UserPage />;
}
