import './form/form.css';
import './secret.css';
import Modal from 'antd/es/modal';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { useUnsaved } from '../tabs/use-unsaved.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { saveFile } from './save-file.ts';

/** A secret that is shown only once. It stays until the user confirms that it is saved. */
export function OneTimeSecret({
  title,
  children,
  secret,
  fileName,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** One secret per line. */
  secret: string;
  /** Offers a download under this file name, too. */
  fileName?: string;
  onClose: () => void;
}) {
  const { text } = useText();
  const unsaved = useUnsaved(true, () => undefined);
  return (
    <Modal
      open
      width={480}
      title={title}
      rootClassName="confirm"
      // Closed only by its button: the secret cannot be shown again.
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
          <Button
            variant="primary"
            onClick={() => {
              unsaved.settle();
              onClose();
            }}
          >
            {text('common.secret.taken')}
          </Button>
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

/** `of` distinguishes several of them. */
export function CopyButton({ value, of }: { value: string; of?: string }) {
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
    <Button {...(of ? { 'aria-description': of } : {})} onClick={() => void copy()}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      <span role="status">{text(COPY_LABEL[state])}</span>
    </Button>
  );
}
