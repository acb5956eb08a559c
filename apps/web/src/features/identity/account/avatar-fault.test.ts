import { expect, test } from 'vitest';
import { ApiError } from '../../../shared/api/api-error.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { avatarFault } from './avatar-fault.ts';

const text: Text = (id) => id;

test.each([
  ['a message of the server', new ApiError('upload.format', 'Only jpg.', 422), 'Only jpg.'],
  ['a network failure', new ApiError('client.network', 'No answer.', 0), 'account.avatar.network'],
  ['a response without a message', new ApiError('upload.format', '', 422), 'account.avatar.failed'],
  ['any other error', new Error('canvas'), 'account.avatar.failed'],
])('a failed avatar upload because of %s shows the right message', (_name, error, shown) => {
  expect(avatarFault(error, text)).toBe(shown);
});
