import { z } from 'zod';

/**
 * Formatted text: the elements and attributes that are allowed. The server removes everything else when it stores a text, and
 * the console draws only these.
 */
export const RICH_TEXT = {
  tags: ['p', 'br', 'strong', 'em', 'u', 's', 'h3', 'ul', 'ol', 'li', 'blockquote', 'a'],
  attributes: { a: ['href'] },
  /** Protocols of links. */
  schemes: ['http', 'https', 'mailto', 'tel'],
} as const;
export type RichTextTag = (typeof RICH_TEXT.tags)[number];

/** Largest number of characters, including the markup. */
export const RICH_TEXT_MAX = 20_000;

/** Formatted text as HTML. */
export const richText = z
  .string()
  .trim()
  .min(1)
  .max(RICH_TEXT_MAX)
  .refine((text) => !/[^\P{Cc}\n\r\t]/u.test(text), { error: 'control-characters' });
