import { pageNonce } from '../api/site.ts';

/**
 * Gives the nonce to antd, which measures scroll bars and locks scrolling with style elements of its own.
 * The content security policy would reject these elements without a nonce. Only our own scripts can call
 * this.
 */
function giveStylesNonce(nonce: string): void {
  const create = document.createElement;
  document.createElement = function createElement(
    this: Document,
    name: string,
    options?: ElementCreationOptions,
  ) {
    const element = create.call(this, name, options);
    if (name === 'style') element.nonce = nonce;
    return element;
  } as typeof document.createElement;
}

/** The nonce of the page, which antd's style elements have. */
export const styleNonce = pageNonce();
if (styleNonce) giveStylesNonce(styleNonce);
