import './tests.css';
import type { TestState } from '@isotherm/domain/alarms/alarm-test';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Icon } from '../../../shared/ui/icon.tsx';

/** State of a test as a tag; what needs attention is marked by a symbol, not by a colour of alarms. */
export function TestStateTag({ state }: { state: TestState }) {
  const { text } = useText();
  return (
    <span className={`tag alarm-test-state alarm-test-${state}`}>
      {state === 'confirmed' ? <Icon name="check" small /> : null}
      {state === 'failed' ? <Icon name="close" small /> : null}
      {state === 'overdue' ? <Icon name="clock" small /> : null}
      {text(`alarm-tests.state.${state}`)}
    </span>
  );
}
