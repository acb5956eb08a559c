import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { PageTabs } from '../../../shared/ui/detail-page.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { AccountList } from './account-list.tsx';
import { WebcamList } from './webcam-list.tsx';

/** Page of the cameras, and of their accounts for users who may edit accounts. */
export default function WebcamsPage() {
  const { text } = useText();
  const mayEdit = usePermission('asset-webcams:edit');
  const cameras = { key: 'cameras', label: text('webcams.cameras'), content: () => <WebcamList /> };
  const accounts = { key: 'accounts', label: text('webcams.accounts'), content: () => <AccountList /> };
  return (
    <div className="page">
      <PageHead title={text('menu.asset-webcams')} purpose={text('webcams.purpose')} />
      {mayEdit ? <PageTabs tabs={[cameras, accounts]} /> : <WebcamList />}
    </div>
  );
}
