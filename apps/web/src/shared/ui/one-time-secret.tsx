import './form/form.css';
import './secret.css';
import Modal from 'antd/es/modal';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { useUnsaved } from '../tabs/use-unsaved.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { saveFile } from './save-file.ts';

/** Dialog with a secret that is shown only once. It stays open until the user confirms that it is saved. */
export function OneTimeSecret({
  title,
  children,
  secret,
  fileName,
  next,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** The secret; several ones are on separate lines. */
  secret: string;
  /** If set, the secret can also be downloaded as a file with this name. */
  fileName?: string;
  /** The usual next step, offered as the button that closes the dialog. */
  next?: { label: string; onClick: () => void } | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const unsaved = useUnsaved(true, () => undefined);
  function close() {
    unsaved.settle();
    onClose();
  }
  return (
    <Modal
      open
      width={480}
      title={title}
      rootClassName="confirm"
      // Only its button closes the dialog, because the secret cannot be shown again.
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <div className="confirm-foot">
          {fileName ? (
            <Button onClick={() => saveFile(fileName, `${secret}\n`, 'text')}>
              <Icon name="download" />
              {text('common.action.download')}
            </Button>
          ) : null}
          <Button variant={next ? 'secondary' : 'primary'} onClick={close}>
            {text('common.secret.taken')}
          </Button>
          {next ? (
            <Button
              variant="primary"
              onClick={() => {
                close();
                next.onClick();
              }}
            >
              {next.label}
            </Button>
          ) : null}
        </div>
      }
    >
      <div className="confirm-body">{children}</div>
      <div className="secret">
        <pre>{secret}</pre>
        <CopyButton value={secret} />
      </div>
      <p className="form-help">{text('common.secret.once')}</p>
    </Modal>
  );
}

const COPY_LABEL = {
  idle: 'common.action.copy',
  copied: 'common.copied',
  failed: 'common.copy-failed',
} as const;

/**
 * Button that copies a text. `of` distinguishes several of them for screen readers; a `compact` one shows
 * only its icon.
 */
export function CopyButton({
  value,
  of,
  compact = false,
}: {
  value: string;
  of?: string;
  compact?: boolean;
}) {
  const { text } = useText();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      setState('failed');
    }
  }
  return (
    <Button
      {...(compact ? { variant: 'quiet', size: 'small', icon: true, title: text(COPY_LABEL[state]) } : {})}
      {...(of ? { 'aria-description': of } : {})}
      onClick={() => void copy()}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} small={compact} />
      <span role="status" className={compact ? 'visually-hidden' : undefined}>
        {text(COPY_LABEL[state])}
      </span>
    </Button>
  );
}
