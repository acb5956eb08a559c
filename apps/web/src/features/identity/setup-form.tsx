import { completeSetup } from '@isotherm/contracts/identity';
import type { TextId } from '@isotherm/i18n/text-id';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { encryptPasswords } from '../../shared/signature/encrypt-password.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { EntryFault } from './entry-fault.tsx';
import { PasswordField } from './password-field.tsx';

/** The account name must follow requirements §5, and the first password the rule of the server. */
const USERNAME = /^\S{8,64}$/;
const SHORTEST_PASSWORD = 8;

interface Answers {
  organizationName: string;
  realname: string;
  username: string;
  password: string;
  again: string;
}

function faultOf(answers: Answers): TextId | null {
  if (!answers.organizationName.trim() || !answers.realname.trim()) return 'login.setup.incomplete';
  if (!USERNAME.test(answers.username)) return 'login.setup.username-rule';
  if (answers.password.length < SHORTEST_PASSWORD) return 'login.change.too-short';
  return answers.password === answers.again ? null : 'login.change.differs';
}

/**
 * Form that creates the first administrator of an empty installation. The server prints the link to it
 * (decision 3).
 */
export function SetupForm({ setupToken, onDone }: { setupToken: string; onDone: () => void }) {
  const { text } = useText();
  const [answers, setAnswers] = useState<Answers>({
    organizationName: '',
    realname: '',
    username: '',
    password: '',
    again: '',
  });
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const change = (name: keyof Answers) => (value: string) => setAnswers({ ...answers, [name]: value });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    const wrong = faultOf(answers);
    setFault(wrong ? text(wrong, { length: SHORTEST_PASSWORD }) : '');
    if (wrong) return;
    setBusy(true);
    try {
      const { ciphers, nonce } = await encryptPasswords(answers.password);
      await call(completeSetup, {
        quiet: true,
        body: {
          setupToken,
          organizationName: answers.organizationName,
          realname: answers.realname,
          username: answers.username,
          password: ciphers[0] ?? '',
          serviceloginkey: nonce,
          timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
      });
      onDone();
    } catch (error) {
      setBusy(false);
      setFault(error instanceof Error ? error.message : text('common.failure.unknown'));
    }
  }

  return (
    <form className="login-form" onSubmit={submit} noValidate>
      <h1>{text('login.setup.title')}</h1>
      <p className="secondary login-lead">{text('login.setup.reason')}</p>
      <TextField
        label={text('login.setup.organization')}
        value={answers.organizationName}
        onChange={change('organizationName')}
        icon={<Icon name="page" />}
        autoComplete="organization"
        focused
      />
      <TextField
        label={text('login.setup.realname')}
        value={answers.realname}
        onChange={change('realname')}
        icon={<Icon name="user" />}
        autoComplete="name"
      />
      <TextField
        label={text('login.account')}
        value={answers.username}
        onChange={change('username')}
        icon={<Icon name="user" />}
        autoComplete="username"
      />
      <PasswordField
        label={text('login.password')}
        value={answers.password}
        onChange={change('password')}
        autoComplete="new-password"
      />
      <PasswordField
        label={text('login.setup.again')}
        value={answers.again}
        onChange={change('again')}
        autoComplete="new-password"
      />
      <EntryFault fault={fault} />
      <Button type="submit" variant="primary" size="large" className="login-submit" disabled={busy}>
        {text('login.setup.submit')}
      </Button>
    </form>
  );
}

function TextField({
  label,
  value,
  onChange,
  icon,
  autoComplete,
  focused = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  icon: ReactNode;
  autoComplete: string;
  focused?: boolean;
}) {
  const id = useId();
  return (
    <div className="login-field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="field field-large">
        {icon}
        <input
          id={id}
          value={value}
          autoComplete={autoComplete}
          maxLength={120}
          // biome-ignore lint/a11y/noAutofocus: the one thing to do on this page is to fill in this form.
          autoFocus={focused}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
    </div>
  );
}
