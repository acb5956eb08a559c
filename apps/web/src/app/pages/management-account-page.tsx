import { AccountPage } from '../../features/identity/account/account-page.tsx';

export default function ManagementAccountPage() {
  return <AccountPage />;
}
