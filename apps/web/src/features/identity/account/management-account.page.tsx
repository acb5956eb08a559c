import './account.css';
import { useQuery } from '@tanstack/react-query';
import { roleName } from '../../../shared/access/role-words.ts';
import { listed } from '../../../shared/format/listed.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Avatar } from '../../../shared/ui/avatar.tsx';
import { DetailPage } from '../../../shared/ui/detail-page.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { accountQuery } from './account.queries.ts';
import { PasswordPanel } from './password-panel.tsx';
import { PreferencesTab } from './preferences-tab.tsx';
import { ProfileTab } from './profile-tab.tsx';
import { PushAppsPanel } from './push-apps.tsx';
import { PushTab } from './push-tab.tsx';
import { SecondFactorPanel } from './second-factor-panel.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { WechatPanel } from './wechat-panel.tsx';

/** Page of the user's own account: profile, security, preferences and sessions. */
export default function AccountPage() {
  const { text } = useText();
  const { data: account, error, refetch } = useQuery(accountQuery);
  if (!account)
    return (
      <div className="page">
        <section className="panel">
          {error ? (
            <FailureNotice error={error} retry={() => void refetch()} />
          ) : (
            <div className="skeleton skeleton-body" />
          )}
        </section>
      </div>
    );
  return (
    <DetailPage
      title={account.realname}
      mark={<Avatar name={account.realname} image={account.avatar} />}
      facts={[
        { label: text('users.username'), value: account.username },
        { label: text('users.organization'), value: account.organizationName },
        {
          label: text('users.roles'),
          value: listed(
            account.roles.map((role) => roleName(role, text)),
            text,
          ),
        },
      ]}
      tabs={[
        {
          key: 'profile',
          label: text('account.tab.profile'),
          content: () => <ProfileTab account={account} />,
        },
        {
          key: 'security',
          label: text('account.tab.security'),
          content: () => (
            <>
              <PasswordPanel own={[account.username, account.realname, account.mobile]} />
              <SecondFactorPanel account={account} />
            </>
          ),
        },
        {
          key: 'preferences',
          label: text('account.tab.preferences'),
          content: () => <PreferencesTab account={account} />,
        },
        {
          key: 'notifications',
          label: text('account.tab.notifications'),
          content: () => (
            <>
              <PushTab />
              <PushAppsPanel />
              <WechatPanel />
            </>
          ),
        },
        { key: 'sessions', label: text('users.tab.sessions'), content: () => <SessionsTab /> },
      ]}
    />
  );
}
