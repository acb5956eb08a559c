import { useState } from 'react';
import { typeableNumber, typedNumber } from './typed-number.ts';

const typeable = (value: unknown): string =>
  typeof value === 'number' ? typeableNumber(value) : value == null ? '' : String(value);

/**
 * Number with its unit in a table row of a form. An empty input is null; invalid text is kept, so that the
 * schema rejects it. The value of an empty input may be held as an empty text, too.
 */
export function NumberCell({
  value,
  label,
  unit,
  placeholder,
  isWrong = false,
  disabled = false,
  onChange,
}: {
  value: number | string | null;
  label: string;
  unit?: string;
  placeholder?: string;
  isWrong?: boolean;
  disabled?: boolean;
  onChange: (value: number | string | null) => void;
}) {
  const [typed, setTyped] = useState(() => typeable(value));
  // The value was changed outside this input: the form was reset, or took over what someone else saved.
  if ((value === '' ? null : value) !== (typedNumber(typed) ?? null)) setTyped(typeable(value));
  return (
    <div className={isWrong ? 'field field-wrong' : 'field'}>
      <input
        type="text"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={isWrong || undefined}
        value={typed}
        disabled={disabled}
        autoComplete="off"
        placeholder={placeholder}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(typedNumber(event.target.value) ?? null);
        }}
      />
      {unit ? <span className="tertiary">{unit}</span> : null}
    </div>
  );
}
