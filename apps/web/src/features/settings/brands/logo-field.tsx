import type { Brand } from '@isotherm/contracts/brands';
import { IMAGE_EXTENSIONS, LOGO_MAX_BYTES } from '@isotherm/contracts/fields';
import { useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { type LogoPlace, useBrandChanges } from './brands.queries.ts';

const LABEL = { login: 'settings.brand.login-logo', menu: 'settings.brand.menu-logo' } as const;
const ACCEPTED = IMAGE_EXTENSIONS.map((extension) => `.${extension}`).join(',');

/**
 * Field for a logo. The logo is uploaded immediately and not with the form; the server checks it and encodes
 * it again.
 */
export function LogoField({ brand, place }: { brand: Brand; place: LogoPlace }) {
  const { text } = useText();
  const changes = useBrandChanges();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const src = place === 'login' ? brand.loginLogo : brand.menuLogo;
  const label = text(LABEL[place]);

  async function run(work: () => Promise<unknown>) {
    setBusy(true);
    await work().catch(() => undefined);
    setBusy(false);
  }
  function take(file: File | undefined) {
    if (!file) return;
    if (file.size > LOGO_MAX_BYTES) toast('failure', text('settings.brand.logo-too-large'));
    else void run(() => changes.setLogo(brand.id, place, file));
  }

  return (
    <div className="form-field">
      <span className="field-label">{label}</span>
      <div className="logo-field">
        {src ? (
          <img src={src} alt={label} />
        ) : (
          <span className="small tertiary">{text('settings.brand.own-mark')}</span>
        )}
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
          <Button
            variant="quiet"
            size="small"
            disabled={busy}
            onClick={() => void run(() => changes.removeLogo(brand.id, place))}
          >
            {text('settings.brand.remove-logo')}
          </Button>
        ) : null}
      </div>
      <div className="form-help">{text('settings.brand.logo-help')}</div>
    </div>
  );
}
