import './form.css';
import type { FormEvent, ReactNode } from 'react';
import type { z } from 'zod';
import { useText } from '../../i18n/use-text.ts';
import { useUnsaved } from '../../tabs/use-unsaved.ts';
import { Button } from '../button.tsx';
import { FormBanner } from './form-banner.tsx';
import { FormContext } from './form-context.ts';
import { useForm } from './use-form.ts';

/** A form inside a page, with the same rules as the form drawer; its buttons are at the bottom. */
export function FormPanel<S extends z.ZodObject>({
  schema,
  initial,
  submit,
  faultFields,
  submitLabel,
  onDone,
  onCancel,
  guarded = true,
  submitsUnchanged = false,
  children,
}: {
  schema: S;
  initial: Partial<z.input<S>>;
  submit: (values: z.input<S>) => Promise<unknown>;
  /** Form field for each error code of the server. */
  faultFields?: Readonly<Record<string, string>>;
  submitLabel: string;
  onDone?: () => void;
  onCancel?: () => void;
  /**
   * False for a form that queries instead of saving, such as a decoder. It has no unsaved changes to guard.
   */
  guarded?: boolean;
  /** True for a new record whose initial values can be accepted as they are. */
  submitsUnchanged?: boolean;
  children: ReactNode;
}) {
  const { text } = useText();
  const form = useForm({ schema, initial, submit, faultFields });
  const unsaved = useUnsaved(form.dirty && guarded, form.reset);
  async function send(event: FormEvent) {
    event.preventDefault();
    if (!(await form.submit())) return;
    unsaved.settle();
    onDone?.();
  }
  return (
    <form className="form" onSubmit={(event) => void send(event)} noValidate>
      <FormBanner form={form} />
      <FormContext value={form}>
        <div className="form-grid">{children}</div>
      </FormContext>
      <div className="form-panel-foot">
        <Button type="submit" variant="primary" disabled={form.busy || !(form.dirty || submitsUnchanged)}>
          {form.busy ? text('common.saving') : submitLabel}
        </Button>
        {onCancel ? (
          <Button disabled={form.busy} onClick={() => unsaved.ask(onCancel)}>
            {text('common.action.cancel')}
          </Button>
        ) : null}
      </div>
    </form>
  );
}
