import { OrganizationsPage } from '../../features/identity/organizations/organizations-page.tsx';

export default function ManagementOrganizationsPage() {
  return <OrganizationsPage />;
}
