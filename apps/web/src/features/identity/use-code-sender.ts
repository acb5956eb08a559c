import { mobile } from '@isotherm/contracts/fields';
import { useText } from '../../shared/i18n/use-text.ts';
import type { Form } from '../../shared/ui/form/use-form.ts';
import { toast } from '../../shared/ui/toast.tsx';

/** Sends a code to the number in the form's `phone`, once account and number are there to send it to. */
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
      toast('failure', error instanceof Error ? error.message : text('common.failure.unknown'));
      return null;
    }
  };
}
