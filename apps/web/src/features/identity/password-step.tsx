import type { TextId } from '@isotherm/i18n/text-id';
import { type FormEvent, useState } from 'react';
import { readCookie } from '../../shared/api/cookies.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { StrengthMeter } from '../../shared/ui/form/strength-meter.tsx';
import { EntryFault } from './entry-fault.tsx';
import { type LoginOutcome, replacePassword } from './log-in.ts';
import { PasswordField } from './password-field.tsx';

/** Shortest password (requirements §5). */
const SHORTEST = 6;

function faultOf(old: string, fresh: string, again: string): TextId | null {
  if (fresh.length < SHORTEST) return 'login.change.too-short';
  if (fresh === old) return 'login.change.same';
  if (fresh !== again) return 'login.change.differs';
  return null;
}

/** Step after the login in which a one-time password must be changed (decision 13). */
export function PasswordStep({
  oldPassword,
  onDone,
  onLeave,
}: {
  /** The password of the login that just succeeded; empty after a page reload. */
  oldPassword: string;
  onDone: (next: LoginOutcome) => void;
  onLeave: () => void;
}) {
  const { text } = useText();
  const [old, setOld] = useState(oldPassword);
  const [fresh, setFresh] = useState('');
  const [again, setAgain] = useState('');
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    const wrong = faultOf(old, fresh, again);
    if (wrong) {
      setFault(text(wrong, { length: SHORTEST }));
      return;
    }
    setFault('');
    setBusy(true);
    try {
      onDone(await replacePassword(old, fresh));
    } catch (error) {
      setBusy(false);
      setFault(error instanceof Error ? error.message : text('common.failure.unknown'));
    }
  }

  return (
    <form className="login-form" onSubmit={submit} noValidate>
      <h1>{text('login.change.title')}</h1>
      <p className="secondary login-lead">{text('login.change.reason')}</p>
      {oldPassword === '' ? (
        <PasswordField
          label={text('login.change.old')}
          value={old}
          onChange={setOld}
          autoComplete="current-password"
          focused
        />
      ) : null}
      <PasswordField
        label={text('login.change.new')}
        value={fresh}
        onChange={setFresh}
        autoComplete="new-password"
        focused={oldPassword !== ''}
      />
      <StrengthMeter password={fresh} own={[readCookie('username')]} />
      <PasswordField
        label={text('login.change.again')}
        value={again}
        onChange={setAgain}
        autoComplete="new-password"
      />
      <EntryFault fault={fault} />
      <Button type="submit" variant="primary" size="large" className="login-submit" disabled={busy}>
        {text('login.change.submit')}
      </Button>
      <Button variant="link" className="small login-other" onClick={onLeave}>
        {text('login.change.other-account')}
      </Button>
    </form>
  );
}
