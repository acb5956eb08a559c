import type { User } from '@isotherm/contracts/users';
import { useText } from '../../../shared/i18n/use-text.ts';

/** State of an account; the active state is not emphasised. */
export function UserState({ state }: { state: User['state'] }) {
  const { text } = useText();
  const label = text(`users.state.${state}`);
  if (state === 'active') return <span className="secondary">{label}</span>;
  return <span className="tag">{label}</span>;
}
