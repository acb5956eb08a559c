import './form/form.css';
import { reason as reasonRule } from '@isotherm/contracts/fields';
import { wordIssues } from '@isotherm/contracts/validation';
import Modal from 'antd/es/modal';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Button } from './button.tsx';
import { DictionaryPhrases } from './dictionary-phrases.tsx';
import { FocusReturn } from './focus-return.tsx';
import { Icon } from './icon.tsx';

interface Base {
  title: string;
  children?: ReactNode;
  confirmLabel: string;
  /** Label of the cancel button; null if there is no such button. */
  cancelLabel?: string | null;
  /** True for a destructive action: the button has the danger colour. */
  grave?: boolean;
  /** A third button besides confirm and cancel. */
  other?: { label: string; onChoose: () => void };
  onClose: () => void;
  /** True if only its buttons close the dialog: not Esc, the close icon or a click outside. */
  mustAnswer?: boolean;
}

/** A simple confirmation dialog. */
export function ConfirmDialog(props: Base & { onConfirm: () => unknown }) {
  return <Confirm {...props} confirm={() => props.onConfirm()} closes={false} />;
}

/**
 * Confirmation dialog whose effort matches the risk: a click, a reason for the audit log, or typing the name
 * of the object to delete. Errors of the server are shown in the dialog, and the input is kept.
 */
export function ConfirmWithReason({
  weight,
  name,
  reasons,
  reasonLabel,
  onConfirm,
  ...rest
}: Base & {
  weight: 'plain' | 'reason' | 'name';
  /** Code of the dictionary with suggested reasons. */
  reasons?: string;
  /** Label of the reason field. */
  reasonLabel?: string;
  /** Name that the user must type if the weight is `name`. */
  name?: string;
  onConfirm: (reason: string) => Promise<unknown>;
}) {
  return (
    <Confirm
      {...rest}
      {...(reasons === undefined ? {} : { reasons })}
      {...(reasonLabel === undefined ? {} : { reasonLabel })}
      asksReason={weight !== 'plain'}
      typed={weight === 'name' ? (name ?? '') : null}
      confirm={onConfirm}
      closes
    />
  );
}

function Confirm({
  title,
  children,
  confirmLabel,
  cancelLabel,
  grave = false,
  other,
  onClose,
  mustAnswer = false,
  confirm,
  closes,
  asksReason = false,
  reasons,
  reasonLabel,
  typed = null,
}: Base & {
  reasons?: string;
  reasonLabel?: string;
  confirm: (reason: string) => unknown;
  /** True if the dialog closes by itself after success. */
  closes: boolean;
  asksReason?: boolean;
  typed?: string | null;
}) {
  const { text } = useText();
  const formId = useId();
  const [reason, setReason] = useState('');
  const [name, setName] = useState('');
  const [faults, setFaults] = useState<{ reason?: string; name?: string }>({});
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (busy) return;
    const wrong: typeof faults = {};
    const checked = reasonRule.safeParse(reason);
    if (asksReason && !checked.success) {
      const [fault] = wordIssues(checked.error, reason);
      if (fault) wrong.reason = text(`validation.${fault.rule}`, fault.params);
    }
    if (typed !== null && name.trim() !== typed) wrong.name = text('common.confirm.name-differs');
    setFaults(wrong);
    setFailure('');
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      await confirm(reason.trim());
      if (closes) onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : text('common.failure.unknown'));
      setBusy(false);
    }
  }

  return (
    <>
      <FocusReturn />
      <Modal
        open
        width={440}
        title={title}
        onCancel={busy ? () => undefined : onClose}
        closable={!mustAnswer}
        keyboard={!mustAnswer}
        mask={{ closable: !mustAnswer }}
        afterOpenChange={(open) => open && focusFirst(formId)}
        rootClassName="confirm"
        footer={
          <div className="confirm-foot">
            {cancelLabel === null ? null : (
              <Button onClick={onClose} disabled={busy}>
                {cancelLabel ?? text('common.action.cancel')}
              </Button>
            )}
            {other ? (
              <Button onClick={other.onChoose} disabled={busy}>
                {other.label}
              </Button>
            ) : null}
            <Button type="submit" form={formId} variant={grave ? 'danger' : 'primary'} disabled={busy}>
              {confirmLabel}
            </Button>
          </div>
        }
      >
        <form id={formId} onSubmit={(event) => void submit(event)} noValidate>
          <div className="confirm-body">{children}</div>
          {asksReason ? (
            <Asked
              label={reasonLabel ?? text('common.confirm.reason')}
              value={reason}
              fault={faults.reason}
              onChange={setReason}
              rows={2}
            />
          ) : null}
          {asksReason && reasons !== undefined ? (
            <DictionaryPhrases dictionary={reasons} value={reason} onChange={setReason} />
          ) : null}
          {typed !== null ? (
            <Asked
              label={text('common.confirm.type-name', { name: typed })}
              value={name}
              fault={faults.name}
              onChange={setName}
            />
          ) : null}
          <div role="alert">
            {failure ? (
              <div className="form-banner">
                <Icon name="info" />
                <span>{failure}</span>
              </div>
            ) : null}
          </div>
        </form>
      </Modal>
    </>
  );
}

/** Focuses the first field. In a dialog without fields the focus stays on its buttons. */
function focusFirst(formId: string): void {
  const form = document.getElementById(formId);
  const field = form?.querySelector<HTMLElement>('input, textarea');
  const button = document.querySelector<HTMLElement>(`button[form="${formId}"]`);
  (field ?? button)?.focus();
}

function Asked({
  label,
  value,
  fault,
  onChange,
  rows,
}: {
  label: string;
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
  rows?: number;
}) {
  const id = useId();
  const control = {
    id,
    value,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault ? `${id}-fault` : undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  return (
    <div className="confirm-field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {rows ? (
        <textarea
          {...control}
          rows={rows}
          maxLength={500}
          className={fault ? 'text-area field-wrong' : 'text-area'}
        />
      ) : (
        <div className={fault ? 'field field-wrong' : 'field'}>
          <input {...control} type="text" autoComplete="off" />
        </div>
      )}
      {fault ? (
        <div className="field-fault" id={`${id}-fault`}>
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
    </div>
  );
}
