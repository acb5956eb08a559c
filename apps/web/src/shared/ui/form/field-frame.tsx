import { type ReactNode, useId } from 'react';
import { Icon } from '../icon.tsx';

export interface FieldProps {
  name: string;
  label: string;
  help?: ReactNode;
  /** True if the field spans both columns of the form. */
  wide?: boolean;
  disabled?: boolean;
}

/** Attributes that connect a control with its label, error and help. */
export interface ControlProps {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
  'aria-required': boolean;
}

/** Frame of a form field: label above, control, error or help below. */
export function FieldFrame({
  label,
  help,
  wide = false,
  required,
  fault,
  children,
}: {
  label: string;
  help?: ReactNode;
  wide?: boolean | undefined;
  required: boolean;
  fault: string | undefined;
  children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const note = fault || help ? `${id}-note` : undefined;
  return (
    <div className={wide ? 'form-field form-wide' : 'form-field'}>
      <label className="field-label" htmlFor={id}>
        {label}
        {required ? (
          <em className="form-required" aria-hidden="true">
            *
          </em>
        ) : null}
      </label>
      {children({
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': note,
        'aria-required': required,
      })}
      {fault ? (
        <div className="field-fault" id={note}>
          <Icon name="info" small />
          {fault}
        </div>
      ) : help ? (
        <div className="form-help" id={note}>
          {help}
        </div>
      ) : null}
    </div>
  );
}

/** A value that cannot be changed, displayed like a form field. */
export function FixedField({ label, value }: { label: string; value: string }) {
  return (
    <FieldFrame label={label} required={false} fault={undefined}>
      {({ id }) => (
        <div className="field">
          <input id={id} type="text" value={value} disabled />
        </div>
      )}
    </FieldFrame>
  );
}
