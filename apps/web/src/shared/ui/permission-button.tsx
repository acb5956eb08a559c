import { type ButtonRule, useButtonState } from '../access/permissions.ts';
import { useText } from '../i18n/use-text.ts';
import { Button, type ButtonProps } from './button.tsx';

type Props = ButtonRule & ButtonProps;

/**
 * A button with the same `can()` as the server (requirements §6): hidden by a permission, shown or enabled
 * only with another.
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
