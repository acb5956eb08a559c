import { useEffect, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { FieldFrame } from '../../shared/ui/form/field-frame.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';

/** Returns the seconds left until `until`, updated every second. */
function useCountdown(until: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (until <= Date.now()) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - now) / 1000));
}

/** Field for a six-digit code, and the button that sends the code once a minute at most (requirements §9). */
export function CodeField({
  name,
  sent,
  send,
}: {
  name: string;
  /** Message after a code was requested. The default says that it was sent. */
  sent?: string;
  /**
   * Requests a code. Resolves with the seconds until the next request is allowed, or null if no code was
   * sent.
   */
  send: () => Promise<number | null>;
}) {
  const { text } = useText();
  const { value, set, fault } = useField<string>(name);
  const [until, setUntil] = useState(0);
  const [asking, setAsking] = useState(false);
  const left = useCountdown(until);

  async function ask() {
    setAsking(true);
    const wait = await send().catch(() => null);
    setAsking(false);
    if (wait !== null) setUntil(Date.now() + wait * 1000);
  }

  return (
    <FieldFrame
      label={text('login.code')}
      required
      fault={fault}
      help={until > 0 ? (sent ?? text('login.code.on-its-way')) : undefined}
    >
      {(control) => (
        <div className="row">
          <div className={`field grow${fault ? ' field-wrong' : ''}`}>
            <input
              {...control}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={6}
              value={value ?? ''}
              onChange={(event) => set(event.target.value)}
            />
          </div>
          <Button className="code-send" disabled={asking || left > 0} onClick={() => void ask()}>
            {left > 0 ? text('login.code.again-in', { seconds: left }) : text('login.code.send')}
          </Button>
        </div>
      )}
    </FieldFrame>
  );
}
