import '../ui/form/form.css';
import Modal from 'antd/es/modal';
import { type FormEvent, useId, useState } from 'react';
import { readSession } from '../api/session.ts';
import { useText } from '../i18n/use-text.ts';
import { Button } from '../ui/button.tsx';
import { FocusReturn } from '../ui/focus-return.tsx';
import { Icon } from '../ui/icon.tsx';
import { useSigning } from './signing.ts';

/** Dialog that asks for the password to sign an action, while there is one to sign. Mounted once, in the shell. */
export function SignatureDialog() {
  const asked = useSigning((state) => state.asked);
  return asked ? <Asked {...asked} /> : null;
}

function Asked({ meaning, submit, cancel }: NonNullable<ReturnType<typeof useSigning.getState>['asked']>) {
  const { text } = useText();
  const id = useId();
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  async function sign(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (busy || password === '') return;
    setBusy(true);
    setFailure('');
    try {
      await submit(password);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : text('common.failure.unknown'));
      setPassword('');
      setBusy(false);
      document.getElementById(`${id}-password`)?.focus();
    }
  }
  return (
    <>
      <FocusReturn />
      <Modal
        open
        width={440}
        title={text('signatures.dialog.title')}
        onCancel={busy ? () => undefined : cancel}
        mask={{ closable: false }}
        afterOpenChange={(open) => open && document.getElementById(`${id}-password`)?.focus()}
        rootClassName="confirm"
        footer={
          <div className="confirm-foot">
            <Button onClick={cancel} disabled={busy}>
              {text('common.action.cancel')}
            </Button>
            <Button type="submit" form={id} variant="primary" disabled={busy || password === ''}>
              {text('signatures.sign')}
            </Button>
          </div>
        }
      >
        <form id={id} onSubmit={(event) => void sign(event)} noValidate>
          <div className="confirm-body">
            <p className="strong">{text(`signatures.meaning.${meaning}`)}</p>
            <p className="secondary">{text('signatures.dialog.help')}</p>
          </div>
          {/* Browsers offer the password of this account. */}
          <input type="text" hidden readOnly autoComplete="username" value={readSession()?.username ?? ''} />
          <div className="confirm-field">
            <label className="field-label" htmlFor={`${id}-password`}>
              {text('signatures.password')}
            </label>
            <div className={failure ? 'field field-wrong' : 'field'}>
              <input
                id={`${id}-password`}
                type="password"
                value={password}
                autoComplete="current-password"
                maxLength={128}
                aria-invalid={failure !== ''}
                onChange={({ target }) => setPassword(target.value)}
              />
            </div>
          </div>
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
