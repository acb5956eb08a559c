import { type ReactNode, useId, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon } from '../../shared/ui/icon.tsx';

/** Password input with a button that shows or hides the password. */
export function PasswordField({
  label,
  value,
  onChange,
  autoComplete,
  wrong = false,
  focused = false,
  aside,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: 'current-password' | 'new-password';
  wrong?: boolean;
  focused?: boolean;
  /** Content at the end of the label's line. */
  aside?: ReactNode;
}) {
  const { text } = useText();
  const id = useId();
  const [shown, setShown] = useState(false);
  return (
    <div className="login-field">
      <div className="login-label">
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        {aside}
      </div>
      <div className={`field field-large${wrong ? ' field-wrong' : ''}`}>
        <Icon name="lock" />
        <input
          id={id}
          type={shown ? 'text' : 'password'}
          value={value}
          autoComplete={autoComplete}
          maxLength={128}
          // biome-ignore lint/a11y/noAutofocus: the one thing to do on this step is to type here.
          autoFocus={focused}
          aria-invalid={wrong}
          onChange={(event) => onChange(event.target.value)}
        />
        <button
          type="button"
          className="login-eye"
          aria-label={text(shown ? 'login.password.hide' : 'login.password.show')}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eye-off' : 'eye'} />
        </button>
      </div>
    </div>
  );
}
