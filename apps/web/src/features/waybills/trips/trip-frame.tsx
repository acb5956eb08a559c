import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';

const STEPS = 3;

/** Frame of a step of a hand-over on a phone: title with progress, content, and buttons within reach of the thumb. */
export function TripFrame({
  title,
  step,
  onBack,
  actions,
  children,
}: {
  title: string;
  step: number;
  onBack: () => void;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { text } = useText();
  const frame = useRef<HTMLDivElement>(null);
  // Each step begins at its top, wherever the previous one was left.
  useEffect(() => frame.current?.parentElement?.scrollIntoView?.({ block: 'start' }), []);
  return (
    <div className="trip-page" ref={frame}>
      <header className="trip-head">
        <Button variant="quiet" icon aria-label={text('trips.back')} onClick={onBack}>
          <Icon name="left" />
        </Button>
        <h1>{title}</h1>
        <span className="end small tertiary">{text('trips.step', { step, count: STEPS })}</span>
      </header>
      <progress className="trip-progress" value={step} max={STEPS} aria-label={title} />
      <div className="trip-body">{children}</div>
      {actions ? <footer className="trip-actions">{actions}</footer> : null}
    </div>
  );
}
