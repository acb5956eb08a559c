import { logout } from '@isotherm/contracts/identity';
import type { Site } from '@isotherm/contracts/settings';
import { useState } from 'react';
import { LoginForm } from '../features/identity/login-form.tsx';
import { PasswordStep } from '../features/identity/password-step.tsx';
import { call } from '../shared/api/client.ts';
import { safeRedirect } from '../shared/api/redirect.ts';
import { clearSession, isPasswordDue } from '../shared/api/session.ts';
import { EntryFrame } from './entry-frame.tsx';

/** The first page. */
export function LoginPage({ site }: { site: Site }) {
  const [step, setStep] = useState<'login' | 'password'>(isPasswordDue() ? 'password' : 'login');
  const [typed, setTyped] = useState('');
  const target = safeRedirect(new URLSearchParams(location.search).get('redirect'));
  const enter = () => location.replace(target);

  async function leave() {
    await call(logout, { quiet: true }).catch(() => undefined);
    clearSession();
    setTyped('');
    setStep('login');
  }

  return (
    <EntryFrame site={site}>
      {step === 'password' ? (
        <PasswordStep oldPassword={typed} onDone={enter} onLeave={() => void leave()} />
      ) : (
        <LoginForm
          version={site.version}
          onDone={(next, password) => {
            if (next === 'ready') {
              enter();
            } else {
              setTyped(password);
              setStep('password');
            }
          }}
        />
      )}
    </EntryFrame>
  );
}
