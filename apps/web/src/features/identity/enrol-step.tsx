import { beginSecondFactor, confirmSecondFactor } from '@isotherm/contracts/account';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { setEntryDue } from '../../shared/api/session.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { saveFile } from '../../shared/ui/save-file.ts';
import { EntryFault } from './entry-fault.tsx';

interface Secret {
  secret: string;
  picture: string;
}

/** Step after the login that sets up a second factor if a role requires it (decision 17). */
export function EnrolStep({ onDone, onLeave }: { onDone: () => void; onLeave: () => void }) {
  const { text } = useText();
  const id = useId();
  const [secret, setSecret] = useState<Secret | null>(null);
  const [code, setCode] = useState('');
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const begun = useRef(false);

  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    begin().then(setSecret, (error: unknown) =>
      setFault(error instanceof Error ? error.message : text('common.failure.unknown')),
    );
  }, [text]);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFault('');
    try {
      const answer = await call(confirmSecondFactor, {
        quiet: true,
        body: { code: code.replace(/\s/g, '') },
      });
      setEntryDue('second-factor', false);
      setRecoveryCodes(answer.recoveryCodes);
    } catch (error) {
      setFault(error instanceof Error ? error.message : text('common.failure.unknown'));
    } finally {
      setBusy(false);
    }
  }

  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onDone={onDone} />;
  return (
    <form className="login-form" onSubmit={submit} noValidate>
      <h1>{text('login.enrol.title')}</h1>
      <p className="secondary login-lead">{text('login.enrol.lead')}</p>
      {secret ? (
        <div className="enrol-secret">
          <img src={secret.picture} width={160} height={160} alt={text('login.enrol.picture')} />
          <p className="small secondary">{text('login.enrol.by-hand')}</p>
          <code>{secret.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        </div>
      ) : (
        <div className="enrol-secret skeleton" />
      )}
      <div className="login-field">
        <label className="field-label" htmlFor={id}>
          {text('login.enrol.code')}
        </label>
        <div className="field field-large">
          <input
            id={id}
            value={code}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            onChange={(event) => setCode(event.target.value)}
          />
        </div>
      </div>
      <EntryFault fault={fault} />
      <Button
        type="submit"
        variant="primary"
        size="large"
        className="login-submit"
        disabled={busy || !secret}
      >
        {text('login.enrol.submit')}
      </Button>
      <Button variant="link" className="small login-other" onClick={onLeave}>
        {text('login.change.other-account')}
      </Button>
    </form>
  );
}

async function begin(): Promise<Secret> {
  const [{ secret, uri }, qr] = await Promise.all([
    call(beginSecondFactor, { quiet: true }),
    import('qrcode'),
  ]);
  return { secret, picture: await qr.toDataURL(uri, { margin: 1, width: 320 }) };
}

/** Shows the recovery codes once; they replace a lost authenticator app. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { text } = useText();
  return (
    <section className="login-form">
      <h1>{text('login.enrol.recovery-title')}</h1>
      <p className="secondary login-lead">{text('login.enrol.recovery-lead')}</p>
      <ul className="recovery-codes">
        {codes.map((each) => (
          <li key={each}>
            <code>{each}</code>
          </li>
        ))}
      </ul>
      <Button
        size="large"
        className="login-submit"
        onClick={() => saveFile('isotherm-recovery-codes.txt', `${codes.join('\n')}\n`, 'text')}
      >
        {text('login.enrol.download')}
      </Button>
      <Button variant="primary" size="large" className="login-submit" onClick={onDone}>
        {text('login.enrol.kept')}
      </Button>
    </section>
  );
}
