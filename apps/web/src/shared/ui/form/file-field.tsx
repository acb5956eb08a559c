import { useRef } from 'react';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { useField } from './form-context.ts';

/** Field for a file to upload, with its name next to the button. */
export function FileField({
  accept,
  chooseLabel,
  onChosen,
  ...props
}: FieldProps & {
  /** Accepted file extensions, each with its dot. */
  accept: readonly string[];
  chooseLabel: string;
  onChosen?: (file: File) => void;
}) {
  const { value, set, fault, required } = useField<File>(props.name);
  const input = useRef<HTMLInputElement>(null);
  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {({ 'aria-required': _, ...control }) => (
        <div className="form-file">
          <Button {...control} disabled={props.disabled} onClick={() => input.current?.click()}>
            <Icon name="upload" />
            {chooseLabel}
          </Button>
          <span className="secondary ellipsis">{value?.name}</span>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={props.label}
            accept={accept.join(',')}
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              event.target.value = '';
              if (!file) return;
              set(file);
              onChosen?.(file);
            }}
          />
        </div>
      )}
    </FieldFrame>
  );
}
