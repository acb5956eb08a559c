import type { Site } from '@isotherm/contracts/settings';
import { SetupForm } from '../features/identity/setup-form.tsx';
import { clearSession } from '../shared/api/session.ts';
import { EntryFrame } from './entry-frame.tsx';

/** Page that the setup link of an empty installation opens (decision 3). */
export function SetupPage({ site }: { site: Site }) {
  const setupToken = new URLSearchParams(location.search).get('token') ?? '';
  return (
    <EntryFrame site={site}>
      <SetupForm
        setupToken={setupToken}
        onDone={() => {
          clearSession();
          location.replace('/login');
        }}
      />
    </EntryFrame>
  );
}
