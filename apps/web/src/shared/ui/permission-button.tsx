import { type ButtonRule, useButtonState } from '../access/permissions.ts';
import { useText } from '../i18n/use-text.ts';
import { Button, type ButtonProps } from './button.tsx';

type Props = ButtonRule & ButtonProps;

/**
 * A button that uses the same `can()` function as the server (requirements §6). One permission hides it;
 * another one is required to show or enable it.
 */
export function PermissionButton({ permission, hiddenBy, whenDenied, disabled, ...rest }: Props) {
  const { text } = useText();
  const rule: ButtonRule = {
    ...(permission === undefined ? {} : { permission }),
    ...(hiddenBy === undefined ? {} : { hiddenBy }),
    ...(whenDenied === undefined ? {} : { whenDenied }),
  };
  const state = useButtonState(rule);
  if (state === 'hidden') return null;
  return (
    <Button
      {...rest}
      disabled={disabled || state === 'disabled'}
      {...(state === 'disabled' ? { title: text('common.denied.button') } : {})}
    />
  );
}
