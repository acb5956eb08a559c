import { ApiError } from '../../../shared/api/api-error.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';

/** Requirements §8: the server's message, else a default; a different one for network failures. */
export function avatarFault(error: unknown, text: Text): string {
  if (error instanceof ApiError && error.code === 'client.network') return text('account.avatar.network');
  return (error instanceof ApiError && error.message) || text('account.avatar.failed');
}
