import { fixed } from './figures.ts';
import type { Language } from './languages.ts';
import type { TextId } from './text-id.ts';

interface Found {
  sealsIntact: boolean;
  undamaged: boolean;
  received: readonly { product: string; unit: string; quantity: number; received: number }[];
}

/** Formats a quantity with the decimals that it has. */
const quantity = (value: number, language: Language) =>
  fixed(value, (String(value).split('.')[1] ?? '').length, language);

/** What was wrong at a hand-over: broken seals, damage, and goods of which less was received. */
export function findingWords(
  { sealsIntact, undamaged, received }: Found,
  text: (id: TextId, values?: Record<string, string | number>) => string,
  language: Language,
): string[] {
  return [
    ...(sealsIntact ? [] : [text('trips.seals.broken')]),
    ...(undamaged ? [] : [text('trips.damaged')]),
    ...received
      .filter((goods) => goods.received < goods.quantity)
      .map((goods) =>
        text('trips.part', {
          product: goods.product,
          received: quantity(goods.received, language),
          quantity: [quantity(goods.quantity, language), goods.unit].filter(Boolean).join(' '),
        }),
      ),
  ];
}
