import '../../shared/ui/form/form.css';
import { type FormEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { FormContext } from '../../shared/ui/form/form-context.ts';
import type { Form } from '../../shared/ui/form/use-form.ts';
import { EntryFault } from './entry-fault.tsx';

/**
 * A form before login: plain inputs with the rules of the API contract. The first invalid input gets the
 * focus.
 */
export function EntryForm({
  form,
  title,
  lead,
  submitLabel,
  onDone,
  back,
  children,
}: {
  form: Form;
  title: string;
  lead?: string;
  submitLabel: string;
  onDone: () => void;
  back: { label: string; onClick: () => void };
  children: ReactNode;
}) {
  const { text } = useText();
  const frame = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (form.refusals === 0) return;
    frame.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form.refusals]);
  async function send(event: FormEvent) {
    event.preventDefault();
    if (await form.submit()) onDone();
  }
  return (
    <form ref={frame} className="login-form entry-form" onSubmit={(event) => void send(event)} noValidate>
      <h1>{title}</h1>
      {lead ? <p className="secondary login-lead">{lead}</p> : null}
      <FormContext value={form}>{children}</FormContext>
      <EntryFault fault={form.failure ?? ''} />
      <Button type="submit" variant="primary" size="large" className="login-submit" disabled={form.busy}>
        {form.busy ? text('login.working') : submitLabel}
      </Button>
      <Button variant="link" className="small login-other" onClick={back.onClick}>
        {back.label}
      </Button>
    </form>
  );
}
