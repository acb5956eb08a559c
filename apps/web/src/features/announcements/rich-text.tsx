import { RICH_TEXT, type RichTextTag } from '@isotherm/contracts/rich-text';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';

const TAGS: ReadonlySet<string> = new Set(RICH_TEXT.tags);
const SCHEMES: ReadonlySet<string> = new Set(RICH_TEXT.schemes.map((scheme) => `${scheme}:`));

/** Returns the address of a link if its protocol is allowed. */
function addressOf(link: Element): string | null {
  const href = link.getAttribute('href') ?? '';
  return URL.canParse(href) && SCHEMES.has(new URL(href).protocol) ? href : null;
}

function draw(parent: Node): ReactNode[] {
  return [...parent.childNodes].map((node, index) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    const element = node as Element;
    const tag = element.tagName.toLowerCase();
    const key = `${index}-${tag}`;
    if (tag === 'br') return <br key={key} />;
    const inner = draw(element);
    if (!TAGS.has(tag)) return <Fragment key={key}>{inner}</Fragment>;
    if (tag !== 'a') return createElement(tag as Exclude<RichTextTag, 'a'>, { key }, ...inner);
    const href = addressOf(element);
    return href === null ? (
      <Fragment key={key}>{inner}</Fragment>
    ) : (
      <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {inner}
      </a>
    );
  });
}

/**
 * Draws formatted text. Only allowed elements are created, whatever the text contains: parsing a document neither runs scripts nor
 * loads anything.
 */
export function RichText({ html }: { html: string }) {
  const content = useMemo(() => draw(new DOMParser().parseFromString(html, 'text/html').body), [html]);
  return <div className="announcement-text">{content}</div>;
}
