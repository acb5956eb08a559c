import { useText } from '../../i18n/use-text.ts';
import { Icon } from '../icon.tsx';
import type { Form } from './use-form.ts';

/** Why it was not taken, and that nothing is lost. */
export function FormBanner({ form }: { form: Pick<Form, 'faults' | 'failure'> }) {
  const { text } = useText();
  const count = Object.keys(form.faults).length;
  return (
    <div role="alert">
      {form.failure !== null || count > 0 ? (
        <div className="form-banner">
          <Icon name="info" />
          <span>
            {form.failure !== null
              ? text('common.form.refused', { reason: form.failure })
              : text('common.form.attention', { count })}
          </span>
        </div>
      ) : null}
    </div>
  );
}
