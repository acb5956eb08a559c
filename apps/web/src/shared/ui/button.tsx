import type { ButtonHTMLAttributes, Ref } from 'react';

const VARIANT_CLASSES = {
  secondary: 'button',
  /** For the main action of a page or dialog. */
  primary: 'button button-primary',
  /** Without a border, next to other controls. */
  quiet: 'button button-text',
  /** For irreversible actions. */
  danger: 'button button-grave',
  /** Looks like a link within a sentence. */
  link: 'link-button',
} as const;

const SIZE_CLASSES = { small: 'button-small', normal: '', large: 'button-large' } as const;

export interface ButtonLook {
  variant?: keyof typeof VARIANT_CLASSES | undefined;
  size?: keyof typeof SIZE_CLASSES | undefined;
  /** True for a square button with an icon and no text. It needs an `aria-label`. */
  icon?: boolean | undefined;
}

/** Returns the CSS classes of a button, for links and labels that look like one. */
export function buttonClass(
  { variant = 'secondary', size = 'normal', icon }: ButtonLook = {},
  more = '',
): string {
  return [VARIANT_CLASSES[variant], icon ? 'button-icon' : '', SIZE_CLASSES[size], more]
    .filter((each) => each !== '')
    .join(' ');
}

export type ButtonProps = ButtonLook &
  ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement> };

/** A button of the design system. `className` is only used to position it. */
export function Button({ variant, size, icon, className, ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={buttonClass({ variant, size, icon }, className)} />;
}
