import { mobile } from '@isotherm/contracts/fields';
import { ApiError } from '../../shared/api/api-error.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import type { Form } from '../../shared/ui/form/use-form.ts';
import { toast } from '../../shared/ui/toast.tsx';

/** Returns the remaining seconds after a request that was too early; null for other failures. */
export function secondsLeft(error: unknown): number | null {
  return error instanceof ApiError && error.code === 'code.too_soon' ? error.retryAfterS : null;
}

/** Sends a code to the number in the form's field `phone`, if account and number are filled in. */
export function useCodeSender(
  form: Form,
  send: (username: string, phone: string) => Promise<{ resendAfter: number }>,
): () => Promise<number | null> {
  const { text } = useText();
  return async () => {
    const username = String(form.values.username ?? '').trim();
    const phone = mobile.safeParse(String(form.values.phone ?? ''));
    if (username === '' || !phone.success) {
      toast('failure', text(username === '' ? 'login.code.needs-account' : 'validation.mobile'));
      return null;
    }
    try {
      return (await send(username, phone.data)).resendAfter;
    } catch (error) {
      const left = secondsLeft(error);
      if (left === null)
        toast('failure', error instanceof Error ? error.message : text('common.failure.unknown'));
      return left;
    }
  };
}
