import { IMAGE_EXTENSIONS, LOGO_MAX_BYTES } from '@isotherm/contracts/fields';
import { useRef, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const ACCEPTED = IMAGE_EXTENSIONS.map((extension) => `.${extension}`).join(',');

/**
 * Field for a logo. The logo is uploaded immediately and not with the form; the server checks it and encodes
 * it again. `upload` and `remove` report their failures themselves.
 */
export function LogoUpload({
  label,
  src,
  none,
  help,
  wide = false,
  upload,
  remove,
}: {
  label: string;
  /** Address of the present logo; '' or null without one. */
  src: string | null;
  /** Text that is shown without a logo. */
  none: string;
  help: string;
  wide?: boolean;
  upload: (image: File) => Promise<unknown>;
  remove: () => Promise<unknown>;
}) {
  const { text } = useText();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);

  async function run(work: () => Promise<unknown>) {
    setBusy(true);
    await work().catch(() => undefined);
    setBusy(false);
  }
  function take(file: File | undefined) {
    if (!file) return;
    if (file.size > LOGO_MAX_BYTES) toast('failure', text('settings.brand.logo-too-large'));
    else void run(() => upload(file));
  }

  return (
    <div className={wide ? 'form-field form-wide' : 'form-field'}>
      <span className="field-label">{label}</span>
      <div className="logo-field">
        {src ? <img src={src} alt={label} /> : <span className="small tertiary">{none}</span>}
        <input
          ref={input}
          type="file"
          accept={ACCEPTED}
          hidden
          aria-label={label}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button size="small" className="end" disabled={busy} onClick={() => input.current?.click()}>
          <Icon name="upload" />
          {text('settings.brand.upload')}
        </Button>
        {src ? (
          <Button variant="quiet" size="small" disabled={busy} onClick={() => void run(remove)}>
            {text('settings.brand.remove-logo')}
          </Button>
        ) : null}
      </div>
      <div className="form-help">{help}</div>
    </div>
  );
}
