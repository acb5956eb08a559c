import type { PrintHead } from '@isotherm/contracts/print-heads';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { LogoUpload } from '../logo-upload.tsx';
import { usePrintHeadChanges } from './print-heads.queries.ts';

/** Field for the logo of a print head. */
export function HeadLogoField({ head }: { head: PrintHead }) {
  const { text } = useText();
  const changes = usePrintHeadChanges();
  const [logo, setLogo] = useState(head.logo);
  return (
    <LogoUpload
      wide
      label={text('print-heads.logo')}
      src={logo}
      none={text('print-heads.logo.none')}
      help={text('print-heads.logo.help')}
      upload={async (image) => setLogo((await changes.setLogo(head.id, image)).logo)}
      remove={async () => setLogo((await changes.removeLogo(head.id)).logo)}
    />
  );
}
