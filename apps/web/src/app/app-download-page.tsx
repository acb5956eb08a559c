import type { Site } from '@isotherm/contracts/settings';
import { useEffect, useState } from 'react';
import { useText } from '../shared/i18n/use-text.ts';
import { buttonClass } from '../shared/ui/button.tsx';
import { EntryFrame } from './entry-frame.tsx';

/**
 * Page with the address of the mobile app, as a QR code for the phone's camera and as a link for visitors on
 * the phone.
 */
export function AppDownloadPage({ site }: { site: Site }) {
  const { text } = useText();
  const [picture, setPicture] = useState('');
  useEffect(() => {
    void import('qrcode')
      .then((qr) => qr.toDataURL(site.appDownloadUrl, { margin: 1, width: 480 }))
      .then(setPicture);
  }, [site.appDownloadUrl]);
  return (
    <EntryFrame site={site}>
      <section className="login-form app-download">
        <h1>{text('login.app.title')}</h1>
        <p className="secondary login-lead">{text('login.app.lead')}</p>
        {picture ? <img src={picture} width={240} height={240} alt={text('login.app.picture')} /> : null}
        <a
          className={buttonClass({ variant: 'primary', size: 'large' }, 'login-submit')}
          href={site.appDownloadUrl}
          rel="noopener"
        >
          {text('login.app.open')}
        </a>
        <a className="small login-other" href="/login">
          {text('login.back')}
        </a>
      </section>
    </EntryFrame>
  );
}
