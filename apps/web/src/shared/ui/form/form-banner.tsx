import { useRef } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { useWhenChanged } from '../../tabs/kept-page.ts';
import { Icon } from '../icon.tsx';
import type { Form } from './use-form.ts';

/**
 * Banner that says why a form was refused and that no input is lost. It focuses the first field with an
 * error.
 */
export function FormBanner({ form }: { form: Pick<Form, 'faults' | 'failure' | 'refusals'> }) {
  const { text } = useText();
  const banner = useRef<HTMLDivElement>(null);
  const count = Object.keys(form.faults).length;
  // The focus is not moved in a layout effect: a date picker that loses the focus at that time is only half
  // rendered, and throws.
  useWhenChanged([form.refusals], () => {
    if (form.refusals === 0) return;
    const around = banner.current?.closest('form');
    around?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
  return (
    <div role="alert" ref={banner}>
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
