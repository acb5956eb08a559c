import './form.css';
import Drawer from 'antd/es/drawer';
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import type { z } from 'zod';
import { useText } from '../../i18n/use-text.ts';
import { useUnsaved } from '../../tabs/use-unsaved.ts';
import { Button } from '../button.tsx';
import { FocusReturn } from '../focus-return.tsx';
import { toast } from '../toast.tsx';
import { FormBanner } from './form-banner.tsx';
import { FormContext } from './form-context.ts';
import { useForm } from './use-form.ts';

const WIDTH = 480;
const WIDE = 720;

/**
 * Thrown if the user discarded the input while it was being saved. The form closes, and nothing was saved.
 */
export class InputDiscarded extends Error {}

export interface FormDrawerProps<S extends z.ZodObject> {
  title: string;
  submitLabel: string;
  /** Schema of the contract's body, or of the form if the body is derived from the form values. */
  schema: S;
  initial: Partial<z.input<S>>;
  /** Saves the values. Throws `InputDiscarded` if the user discarded the input. */
  submit: (values: z.input<S>) => Promise<unknown>;
  /** Message after success. */
  success?: string;
  /** Form field for each error code of the server. */
  faultFields?: Readonly<Record<string, string>>;
  /** Called after cancelling, and after success unless `onDone` is given. */
  onClose: () => void;
  onDone?: () => void;
  wide?: boolean;
  children: ReactNode;
}

/**
 * Drawer with a form (ui.md, "Patterns"). It validates with the schema of the server, focuses the first
 * error, keeps the input and guards unsaved changes (`useUnsaved`). It is mounted only while it is open.
 */
export function FormDrawer<S extends z.ZodObject>({
  title,
  submitLabel,
  schema,
  initial,
  submit,
  success,
  faultFields,
  onClose,
  onDone = onClose,
  wide = false,
  children,
}: FormDrawerProps<S>) {
  const { text } = useText();
  const discarded = useRef(false);
  const form = useForm({
    schema,
    initial,
    faultFields,
    submit: async (values: z.input<S>) => {
      try {
        await submit(values);
      } catch (error) {
        if (!(error instanceof InputDiscarded)) throw error;
        discarded.current = true;
      }
    },
  });
  const unsaved = useUnsaved(form.dirty, form.reset);
  const formId = useId();

  function askToLeave() {
    if (!form.busy) unsaved.ask(onClose);
  }
  async function send(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (!(await form.submit())) return;
    unsaved.settle();
    if (discarded.current) {
      onClose();
      return;
    }
    if (success) toast('success', success);
    onDone();
  }

  return (
    <>
      <FocusReturn />
      <Drawer
        open
        autoFocus={false}
        onClose={askToLeave}
        size={wide ? WIDE : WIDTH}
        title={title}
        rootClassName="form-drawer"
        closable={{ placement: 'end' }}
        footer={
          <div className="form-foot">
            <span className="small tertiary form-esc">
              <span className="key-hint">Esc</span>
              {text('common.form.esc')}
            </span>
            <Button onClick={askToLeave} disabled={form.busy}>
              {text('common.action.cancel')}
            </Button>
            <Button type="submit" form={formId} variant="primary" disabled={form.busy}>
              {form.busy ? text('common.saving') : submitLabel}
            </Button>
          </div>
        }
      >
        <form id={formId} className="form" onSubmit={(event) => void send(event)} noValidate>
          <FormBanner form={form} />
          <FormContext value={form}>{children}</FormContext>
          <FirstField formId={formId} />
          <button type="submit" hidden disabled={form.busy} aria-hidden="true" tabIndex={-1} />
        </form>
      </Drawer>
    </>
  );
}

const FIELDS = ['input', 'textarea', 'button[role="combobox"]']
  .map((each) => `${each}:not(:disabled)`)
  .join();

/** Focuses the first field after rendering, or the first button if there is no field. */
function FirstField({ formId }: { formId: string }) {
  useEffect(() => {
    const form = document.getElementById(formId);
    const field =
      form?.querySelector<HTMLElement>(FIELDS) ??
      form?.querySelector<HTMLElement>('button:not(:disabled):not([hidden])');
    field?.focus({ preventScroll: true });
  }, [formId]);
  return null;
}

/** A group of fields under a heading, in two columns. */
export function FormSection({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="form-section">
      {title ? <h3>{title}</h3> : null}
      <div className="form-grid">{children}</div>
    </section>
  );
}
