import { AuthorizationList } from '../../features/identity/authorizations/authorization-list.tsx';

export default function ManagementAuthorizationsPage() {
  return <AuthorizationList />;
}
