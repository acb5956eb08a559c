import { ApiError } from '../../../shared/api/api-error.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';

/**
 * Returns the message for a failed upload (requirements §8): the server's message, otherwise a default; a
 * different one for network failures.
 */
export function avatarFault(error: unknown, text: Text): string {
  if (error instanceof ApiError && error.code === 'client.network') return text('account.avatar.network');
  return (error instanceof ApiError && error.message) || text('account.avatar.failed');
}
