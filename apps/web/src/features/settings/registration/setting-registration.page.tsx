import { useText } from '../../../shared/i18n/use-text.ts';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { RegistrationQueue } from './registration-queue.tsx';
import { RegistrationTerms } from './registration-terms.tsx';

/** Page for self-registration: its settings and the pending applications. */
export default function RegistrationPage() {
  const { text } = useText();
  return (
    <div className="page">
      <PageHead title={text('menu.setting-registration')} purpose={text('settings.registration.purpose')} />
      <RegistrationTerms />
      <div className="panel">
        <RegistrationQueue />
      </div>
    </div>
  );
}
