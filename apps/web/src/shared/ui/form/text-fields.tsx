import { type HTMLInputAutoCompleteAttribute, type ReactNode, useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';
import { typeableNumber, typedNumber } from './typed-number.ts';

function box(fault: string | undefined): string {
  return fault ? 'field field-wrong' : 'field';
}

/** Field for one line of text. An empty field is '' if the schema accepts that, otherwise undefined. */
export function TextField({
  autoComplete = 'off',
  inputMode,
  placeholder,
  after,
  ...props
}: FieldProps & {
  autoComplete?: HTMLInputAutoCompleteAttribute;
  inputMode?: 'text' | 'tel' | 'email' | 'numeric' | 'url';
  placeholder?: string;
  /** Content inside the input at its end. */
  after?: ReactNode;
}) {
  const { value, set, fault, required } = useField<string>(props.name);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <div className={box(fault)}>
          <input
            {...control}
            type="text"
            value={value ?? ''}
            disabled={props.disabled}
            autoComplete={autoComplete}
            {...(inputMode ? { inputMode } : {})}
            placeholder={placeholder}
            onChange={(event) => set(event.target.value)}
          />
          {after}
        </div>
      )}
    </FieldFrame>
  );
}

const typeable = (value: unknown): string =>
  typeof value === 'number' ? typeableNumber(value) : value == null ? '' : String(value);

/**
 * Field for a number with its unit, in the user's locale. Invalid text is kept, so that the schema rejects
 * it.
 */
export function NumberField({ unit, step, ...props }: FieldProps & { unit?: string; step?: number }) {
  const { value, set, fault, required } = useField<number | string>(props.name);
  const [typed, setTyped] = useState(() => typeable(value));
  // The value was changed outside this input: the form was reset, or took over what someone else saved.
  if (value !== typedNumber(typed) && !(value == null && typedNumber(typed) === undefined))
    setTyped(typeable(value));
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <div className={box(fault)}>
          <input
            {...control}
            type="text"
            inputMode={step === 1 ? 'numeric' : 'decimal'}
            value={typed}
            disabled={props.disabled}
            autoComplete="off"
            onChange={(event) => {
              setTyped(event.target.value);
              set(typedNumber(event.target.value));
            }}
          />
          {unit ? <span className="tertiary">{unit}</span> : null}
        </div>
      )}
    </FieldFrame>
  );
}

export function TextAreaField({ rows = 3, ...props }: FieldProps & { rows?: number }) {
  const { value, set, fault, required } = useField<string>(props.name);
  return (
    <FieldFrame {...props} wide={props.wide ?? true} required={required} fault={fault}>
      {(control) => (
        <textarea
          {...control}
          className={fault ? 'text-area field-wrong' : 'text-area'}
          rows={rows}
          value={value ?? ''}
          disabled={props.disabled}
          onChange={(event) => set(event.target.value)}
        />
      )}
    </FieldFrame>
  );
}

/** Password input with a button that shows or hides it, and a strength meter for new passwords. */
export function PasswordField({
  autoComplete,
  meter,
  ...props
}: FieldProps & {
  autoComplete: 'current-password' | 'new-password';
  /** Renders the strength meter below the input, for the typed password. */
  meter?: (password: string) => ReactNode;
}) {
  const { text } = useText();
  const { value, set, fault, required } = useField<string>(props.name);
  const [shown, setShown] = useState(false);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <>
          <div className={box(fault)}>
            <input
              {...control}
              type={shown ? 'text' : 'password'}
              value={value ?? ''}
              disabled={props.disabled}
              autoComplete={autoComplete}
              onChange={(event) => set(event.target.value)}
            />
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={text(shown ? 'login.password.hide' : 'login.password.show')}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
            >
              <Icon name={shown ? 'eye-off' : 'eye'} />
            </Button>
          </div>
          {meter?.(value ?? '')}
        </>
      )}
    </FieldFrame>
  );
}
