import { expect, test } from 'vitest';
import type { TextId } from './text-id.ts';
import { createTranslator } from './translator.ts';

test('an unknown text id does not compile', () => {
  const known: TextId = 'common.action.retry';
  // @ts-expect-error: the type names the ids of the English files only.
  const unknown: TextId = 'common.action.retyr';
  const translate = createTranslator();
  expect(translate('en', known)).toBe('Retry');
  expect(translate('en', unknown)).toBe('common.action.retyr');
});
