import type { Brand } from '@isotherm/contracts/brands';
import { useText } from '../../../shared/i18n/use-text.ts';
import { LogoUpload } from '../logo-upload.tsx';
import { type LogoPlace, useBrandChanges } from './brands.queries.ts';

const LABEL = { login: 'settings.brand.login-logo', menu: 'settings.brand.menu-logo' } as const;

/** Field for one of the logos of a brand. */
export function LogoField({ brand, place }: { brand: Brand; place: LogoPlace }) {
  const { text } = useText();
  const changes = useBrandChanges();
  return (
    <LogoUpload
      label={text(LABEL[place])}
      src={place === 'login' ? brand.loginLogo : brand.menuLogo}
      none={text('settings.brand.own-mark')}
      help={text('settings.brand.logo-help')}
      upload={(image) => changes.setLogo(brand.id, place, image)}
      remove={() => changes.removeLogo(brand.id, place)}
    />
  );
}
