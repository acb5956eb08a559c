import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { ApiError } from '../../shared/api/api-error.ts';
import { readCookie, writeCookie } from '../../shared/api/cookies.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { EntryFault } from './entry-fault.tsx';
import { type Credentials, type LoginOutcome, logIn, PUZZLE_NEEDED } from './log-in.ts';
import { PasswordField } from './password-field.tsx';
import { Puzzle, type PuzzleAnswer } from './puzzle.tsx';
import { SecondFactorStep } from './second-factor-step.tsx';

/** Login form: account, password and, if required, the puzzle; then the second factor. */
export function LoginForm({
  version,
  onDone,
  onForgotten,
  links,
}: {
  version: string;
  onDone: (next: LoginOutcome, password: string) => void;
  /** Opens the form to reset the password, with the account name that was typed. */
  onForgotten: (username: string) => void;
  /** Links below the submit button. */
  links?: ReactNode;
}) {
  const { text } = useText();
  const accountId = useId();
  const [username, setUsername] = useState(readCookie('username'));
  const [password, setPassword] = useState('');
  const [puzzleNeeded, setPuzzleNeeded] = useState(readCookie('puzzle') === '1');
  const [puzzleRound, setPuzzleRound] = useState(0);
  const [answer, setAnswer] = useState<PuzzleAnswer | null>(null);
  const [fault, setFault] = useState('');
  const [missing, setMissing] = useState<{ username: boolean; password: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const [passed, setPassed] = useState<Credentials | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    const lacks = { username: username.trim() === '', password: password === '' };
    if (lacks.username || lacks.password) {
      setMissing(lacks);
      setFault(text('login.fault.incomplete'));
      return;
    }
    if (puzzleNeeded && !answer) {
      setFault(text('login.fault.puzzle'));
      return;
    }
    setMissing(null);
    setFault('');
    setBusy(true);
    const credentials = { username: username.trim(), password, puzzle: answer, secondFactor: '' };
    try {
      onDone(await logIn(credentials, version), password);
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.code === 'login.second_factor') {
        setPassed(credentials);
        return;
      }
      if (error instanceof ApiError && error.code === PUZZLE_NEEDED) {
        // The cookie is kept until a login succeeds (requirements §4).
        writeCookie('puzzle', '1');
        setPuzzleNeeded(true);
      }
      setPuzzleRound((round) => round + 1);
      const message = error instanceof Error ? error.message : '';
      setFault(message || text('login.fault.failed'));
    }
  }

  if (passed) {
    return (
      <SecondFactorStep
        credentials={passed}
        version={version}
        onDone={(next) => onDone(next, password)}
        onLeave={(reason) => {
          setPassed(null);
          setPuzzleRound((round) => round + 1);
          setFault(reason);
        }}
      />
    );
  }
  return (
    <form className="login-form" onSubmit={submit} noValidate>
      <h1>{text('login.title')}</h1>
      <div className="login-field">
        <label className="field-label" htmlFor={accountId}>
          {text('login.account')}
        </label>
        <div className={`field field-large${missing?.username ? ' field-wrong' : ''}`}>
          <Icon name="user" />
          <input
            id={accountId}
            value={username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            // biome-ignore lint/a11y/noAutofocus: the one thing to do on this page is to type here.
            autoFocus={username === ''}
            aria-invalid={missing?.username ?? false}
            onChange={(event) => setUsername(event.target.value)}
          />
        </div>
      </div>
      <PasswordField
        label={text('login.password')}
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        wrong={missing?.password ?? false}
        focused={username !== ''}
        aside={
          <Button variant="link" className="small" onClick={() => onForgotten(username.trim())}>
            {text('login.forgot')}
          </Button>
        }
      />
      {puzzleNeeded ? <Puzzle round={puzzleRound} onAnswer={setAnswer} /> : null}
      <EntryFault fault={fault} />
      <Button type="submit" variant="primary" size="large" className="login-submit" disabled={busy}>
        {text(busy ? 'login.redirecting' : 'login.submit')}
      </Button>
      {links}
    </form>
  );
}
