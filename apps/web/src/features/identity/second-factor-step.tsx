import { type FormEvent, useId, useState } from 'react';
import { ApiError } from '../../shared/api/api-error.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { EntryFault } from './entry-fault.tsx';
import { type Credentials, type LoginOutcome, logIn } from './log-in.ts';

/** Step after the password: the user enters the code of the authenticator app, or a recovery code. */
export function SecondFactorStep({
  credentials,
  version,
  onDone,
  onLeave,
}: {
  credentials: Credentials;
  version: string;
  onDone: (next: LoginOutcome) => void;
  onLeave: (fault: string) => void;
}) {
  const { text } = useText();
  const id = useId();
  const [code, setCode] = useState('');
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    if (code.trim() === '') {
      setFault(text('login.factor.missing'));
      return;
    }
    setBusy(true);
    setFault('');
    try {
      onDone(await logIn({ ...credentials, secondFactor: code.replace(/\s/g, '') }, version));
    } catch (error) {
      setBusy(false);
      const message = error instanceof Error ? error.message : text('login.fault.failed');
      // All errors except a wrong code restart the login, for example if the puzzle is required or the
      // password was changed.
      if (error instanceof ApiError && error.code === 'login.second_factor_wrong') setFault(message);
      else onLeave(message);
    }
  }

  return (
    <form className="login-form" onSubmit={submit} noValidate>
      <h1>{text('login.factor.title')}</h1>
      <p className="secondary login-lead">{text('login.factor.lead')}</p>
      <div className="login-field">
        <label className="field-label" htmlFor={id}>
          {text('login.factor.code')}
        </label>
        <div className={`field field-large${fault ? ' field-wrong' : ''}`}>
          <Icon name="shield" />
          <input
            id={id}
            value={code}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={32}
            // biome-ignore lint/a11y/noAutofocus: the one thing to do on this step is to type here.
            autoFocus
            aria-invalid={fault !== ''}
            onChange={(event) => setCode(event.target.value)}
          />
        </div>
      </div>
      <EntryFault fault={fault} />
      <Button type="submit" variant="primary" size="large" className="login-submit" disabled={busy}>
        {text(busy ? 'login.redirecting' : 'login.submit')}
      </Button>
      <Button variant="link" className="small login-other" onClick={() => onLeave('')}>
        {text('login.change.other-account')}
      </Button>
    </form>
  );
}
