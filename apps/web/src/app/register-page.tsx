import type { Site } from '@isotherm/contracts/settings';
import { RegisterForm } from '../features/identity/register-form.tsx';
import { useText } from '../shared/i18n/use-text.ts';
import { buttonClass } from '../shared/ui/button.tsx';
import { Notice } from '../shared/ui/notice.tsx';
import { EntryFrame } from './entry-frame.tsx';

/** Page for self-registration, if it is enabled under `/setting/registration`. */
export function RegisterPage({ site }: { site: Site }) {
  const { text } = useText();
  return (
    <EntryFrame site={site}>
      {site.registration ? (
        <RegisterForm
          onDone={(approval) => location.assign(`/registered?approval=${approval}`)}
          onLeave={() => location.assign('/login')}
        />
      ) : (
        <Notice icon="lock" title={text('register.closed')} action={<LoginLink />}>
          {text('register.closed-reason')}
        </Notice>
      )}
    </EntryFrame>
  );
}

function LoginLink() {
  const { text } = useText();
  return (
    <a className={buttonClass({ variant: 'primary' })} href="/login">
      {text('login.back')}
    </a>
  );
}

/** Page with the result of a registration: the account can be used at once, or awaits approval. */
export function RegisteredPage({ site }: { site: Site }) {
  const { text } = useText();
  const ready = new URLSearchParams(location.search).get('approval') === 'none';
  return (
    <EntryFrame site={site}>
      <Notice
        icon={ready ? 'check' : 'clock'}
        title={text(ready ? 'register.done.ready' : 'register.done.pending')}
        action={<LoginLink />}
      >
        {text(ready ? 'register.done.ready-reason' : 'register.done.pending-reason')}
      </Notice>
    </EntryFrame>
  );
}
