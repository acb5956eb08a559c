import { IMAGE_EXTENSIONS, LOGO_MAX_BYTES } from '@isotherm/contracts/fields';
import type { PrintHead } from '@isotherm/contracts/print-heads';
import { useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { usePrintHeadChanges } from './print-heads.queries.ts';

const ACCEPTED = IMAGE_EXTENSIONS.map((extension) => `.${extension}`).join(',');

/** Field for the logo of a print head, which is uploaded immediately and not with the form. */
export function HeadLogoField({ head }: { head: PrintHead }) {
  const { text } = useText();
  const changes = usePrintHeadChanges();
  const input = useRef<HTMLInputElement>(null);
  const [logo, setLogo] = useState(head.logo);
  const [busy, setBusy] = useState(false);

  async function run(work: () => Promise<PrintHead>) {
    setBusy(true);
    try {
      setLogo((await work()).logo);
    } catch (error) {
      toast('failure', (error as Error).message);
    }
    setBusy(false);
  }
  function take(image: File | undefined) {
    if (!image) return;
    if (image.size > LOGO_MAX_BYTES) toast('failure', text('print-heads.logo.too-large'));
    else void run(() => changes.setLogo(head.id, { image } as never));
  }

  return (
    <div className="form-field form-wide">
      <span className="field-label">{text('print-heads.logo')}</span>
      <div className="logo-field">
        {logo ? (
          <img src={logo} alt={text('print-heads.logo')} />
        ) : (
          <span className="small tertiary">{text('print-heads.logo.none')}</span>
        )}
        <input
          ref={input}
          type="file"
          accept={ACCEPTED}
          hidden
          aria-label={text('print-heads.logo')}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button size="small" className="end" disabled={busy} onClick={() => input.current?.click()}>
          <Icon name="upload" />
          {text('print-heads.logo.upload')}
        </Button>
        {logo ? (
          <Button
            variant="quiet"
            size="small"
            disabled={busy}
            onClick={() => void run(() => changes.removeLogo(head.id))}
          >
            {text('print-heads.logo.remove')}
          </Button>
        ) : null}
      </div>
      <div className="form-help">{text('print-heads.logo.help')}</div>
    </div>
  );
}
