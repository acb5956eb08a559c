import type { Site } from '@isotherm/contracts/settings';
import { useState } from 'react';
import { useText } from '../shared/i18n/use-text.ts';
import { Button } from '../shared/ui/button.tsx';

/** Links to registration, app and WeChat account, if the brand has them (requirements §1, §2). */
export function EntryLinks({ site }: { site: Site }) {
  const { text } = useText();
  const [weChat, setWeChat] = useState(false);
  const app = site.showAppDownload && site.appDownloadUrl !== '';
  if (!site.registration && !app && site.wechatAccount === '') return null;
  return (
    <>
      <div className="login-links small">
        {site.registration ? <a href="/register">{text('login.register')}</a> : null}
        {app ? <a href="/appdownload">{text('login.app')}</a> : null}
        {site.wechatAccount ? (
          <Button variant="link" className="small" aria-expanded={weChat} onClick={() => setWeChat(!weChat)}>
            {text('login.wechat')}
          </Button>
        ) : null}
      </div>
      {weChat ? (
        <p className="login-wechat small" role="status">
          {text('login.wechat.how', { account: site.wechatAccount })}
        </p>
      ) : null}
    </>
  );
}
