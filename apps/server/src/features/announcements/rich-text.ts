import { RICH_TEXT } from '@isotherm/contracts/rich-text';
import sanitize from 'sanitize-html';

/** Longest beginning of a text that a list shows. */
const SUMMARY_LENGTH = 200;
/** Deeper nesting is flattened, so that no text makes its readers' browsers recurse deeply. */
const MOST_LEVELS = 20;
/** Elements after which a plain text has a new line. */
const LINES = /<(?:br ?\/?|\/p|\/li|\/h3|\/blockquote)>/g;

/** Returns formatted text with only what is allowed: elements and attributes of `RICH_TEXT`, and links of its protocols. */
export function cleanRichText(html: string): string {
  return sanitize(html, {
    allowedTags: [...RICH_TEXT.tags],
    allowedAttributes: { a: [...RICH_TEXT.attributes.a] },
    allowedSchemes: [...RICH_TEXT.schemes],
    allowProtocolRelative: false,
    disallowedTagsMode: 'discard',
    nestingLimit: MOST_LEVELS,
    // Headings and emphasis of other editors become the ones that are allowed.
    transformTags: { b: 'strong', i: 'em', h1: 'h3', h2: 'h3', h4: 'h3', div: 'p' },
  }).trim();
}

/** Returns the text without its formatting, one paragraph a line. */
export function plainText(html: string): string {
  const bare = sanitize(html.replace(LINES, '$&\n'), { allowedTags: [], allowedAttributes: {} });
  return bare
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Returns the beginning of a plain text on one line. */
export function summaryOf(plain: string): string {
  const line = [...plain.replaceAll('\n', ' ')];
  return line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH - 1).join('')}…` : line.join('');
}
