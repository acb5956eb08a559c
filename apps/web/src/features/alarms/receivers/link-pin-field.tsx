import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';

/** Placeholder for a PIN that is stored; the server never returns it. */
const STORED = '••••';

/** Field for the PIN of a receiver. A stored one is kept unless another one is typed or it is removed. */
export function LinkPinField({ hasPin }: { hasPin: boolean }) {
  const { text } = useText();
  const { value, set } = useField<string>('linkPin');
  const isKept = hasPin && value === undefined;
  return (
    <TextField
      name="linkPin"
      label={text('links.pin')}
      help={text(hasPin && value === '' ? 'links.pin.removed' : 'links.pin.help')}
      inputMode="numeric"
      {...(isKept ? { placeholder: STORED } : {})}
      after={
        isKept ? (
          <Button variant="quiet" size="small" onClick={() => set('')}>
            {text('links.pin.remove')}
          </Button>
        ) : null
      }
    />
  );
}
