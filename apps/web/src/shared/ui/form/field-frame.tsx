import { type ReactNode, useId } from 'react';
import { Icon } from '../icon.tsx';

export interface FieldProps {
  name: string;
  label: string;
  help?: ReactNode;
  /** Over both columns of the form. */
  wide?: boolean;
  disabled?: boolean;
}

/** What a control must carry to belong to its label, its fault and its help. */
export interface ControlProps {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
  'aria-required': boolean;
}

/** Label above, control, fault or help below. */
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

/** What was chosen once and stands: shown, not asked. */
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
