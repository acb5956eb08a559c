import './form/form.css';
import './secret.css';
import Modal from 'antd/es/modal';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Icon } from './icon.tsx';
import { saveFile } from './save-file.ts';

/** What is shown this one time: it must be taken along before the dialog can be closed by mistake. */
export function OneTimeSecret({
  title,
  children,
  secret,
  fileName,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** Several lines are several secrets. */
  secret: string;
  /** Offers the secret as a file of this name too. */
  fileName?: string;
  onClose: () => void;
}) {
  const { text } = useText();
  return (
    <Modal
      open
      width={480}
      title={title}
      rootClassName="confirm"
      onCancel={onClose}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <div className="confirm-foot">
          {fileName ? (
            <button
              type="button"
              className="button"
              onClick={() => saveFile(fileName, `${secret}\n`, 'text')}
            >
              <Icon name="download" />
              {text('common.action.download')}
            </button>
          ) : null}
          <button type="button" className="button button-primary" onClick={onClose}>
            {text('common.secret.taken')}
          </button>
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

/** `of` tells several of them apart. */
export function CopyButton({ value, of }: { value: string; of?: string }) {
  const { text } = useText();
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  }
  return (
    <button
      type="button"
      className="button"
      {...(of ? { 'aria-description': of } : {})}
      onClick={() => void copy().catch(() => undefined)}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      <span role="status">{text(copied ? 'common.copied' : 'common.action.copy')}</span>
    </button>
  );
}
