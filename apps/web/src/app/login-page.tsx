import { logout } from '@isotherm/contracts/identity';
import type { Site } from '@isotherm/contracts/settings';
import { lazy, Suspense, useState } from 'react';
import type { LoginOutcome } from '../features/identity/log-in.ts';
import { LoginForm } from '../features/identity/login-form.tsx';
import { call } from '../shared/api/client.ts';
import { safeRedirect } from '../shared/api/redirect.ts';
import { clearSession, entryStepDue } from '../shared/api/session.ts';
import { useText } from '../shared/i18n/use-text.ts';
import { toast } from '../shared/ui/toast.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { EntryLinks } from './entry-links.tsx';

/** The set-up of a second factor is rarely needed, therefore its code is loaded separately. */
const EnrolStep = lazy(async () => ({
  default: (await import('../features/identity/enrol-step.tsx')).EnrolStep,
}));
const ForgotForm = lazy(async () => ({
  default: (await import('../features/identity/forgot-form.tsx')).ForgotForm,
}));
const PasswordStep = lazy(async () => ({
  default: (await import('../features/identity/password-step.tsx')).PasswordStep,
}));

type Step = 'login' | 'forgotten' | Exclude<LoginOutcome, 'ready'>;

/** The login page, with the steps between the login and the console. */
export function LoginPage({ site }: { site: Site }) {
  const { text } = useText();
  const [step, setStep] = useState<Step>(entryStepDue() ?? 'login');
  const [typed, setTyped] = useState({ username: '', password: '' });
  const target = safeRedirect(new URLSearchParams(location.search).get('redirect'));
  const goOn = (next: LoginOutcome) => {
    if (next === 'ready') location.replace(target);
    else setStep(next);
  };

  async function leave() {
    await call(logout, { quiet: true }).catch(() => undefined);
    clearSession();
    setTyped({ username: '', password: '' });
    setStep('login');
  }

  const steps = {
    login: () => (
      <LoginForm
        version={site.version}
        links={<EntryLinks site={site} />}
        onForgotten={(username) => {
          setTyped({ username, password: '' });
          setStep('forgotten');
        }}
        onDone={(next, password) => {
          setTyped({ username: '', password });
          goOn(next);
        }}
      />
    ),
    forgotten: () => (
      <ForgotForm
        username={typed.username}
        onLeave={() => setStep('login')}
        onDone={() => {
          toast('success', text('login.forgot.done'));
          setStep('login');
        }}
      />
    ),
    password: () => <PasswordStep oldPassword={typed.password} onDone={goOn} onLeave={() => void leave()} />,
    'second-factor': () => <EnrolStep onDone={() => goOn('ready')} onLeave={() => void leave()} />,
  };
  return (
    <EntryFrame site={site}>
      <Suspense fallback={<div />}>{steps[step]()}</Suspense>
    </EntryFrame>
  );
}
