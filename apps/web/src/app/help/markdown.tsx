import { lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';

/**
 * Draws Markdown by creating elements of these kinds one by one, never by `innerHTML`: headings, paragraphs, lists, bold,
 * italic, code, tables and links to pages of the console. Everything else, HTML included, appears as its text.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text), [text]);
  return <div className="help-text">{drawAll(tokens)}</div>;
}

/** Draws tokens one after the other. Children that are arguments need no keys; their order never changes. */
function drawAll(tokens: readonly Token[] | undefined): ReactNode {
  return createElement(Fragment, null, ...(tokens ?? []).map(draw));
}

function draw(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'heading':
      // The title is the heading of the page.
      return token.depth === 1 ? null : <h2>{drawAll(token.tokens)}</h2>;
    case 'paragraph':
      return <p>{drawAll(token.tokens)}</p>;
    case 'list':
      return drawList(token as Tokens.List);
    case 'table':
      return drawTable(token as Tokens.Table);
    case 'strong':
      return <strong>{drawAll(token.tokens)}</strong>;
    case 'em':
      return <em>{drawAll(token.tokens)}</em>;
    case 'codespan':
      return <kbd className="key-hint">{token.text}</kbd>;
    case 'link':
      // A link leads to a page of the console only, so that the help needs no connection.
      return /^\/(?!\/)/.test(token.href) ? (
        <Link to={token.href}>{drawAll(token.tokens)}</Link>
      ) : (
        drawAll(token.tokens)
      );
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? drawAll(token.tokens) : token.text;
    default:
      return token.raw;
  }
}

function drawList({ ordered, items }: Tokens.List): ReactNode {
  const entries = items.map(({ tokens }) => createElement('li', null, drawAll(tokens)));
  return createElement(ordered ? 'ol' : 'ul', null, ...entries);
}

function drawTable({ header, rows }: Tokens.Table): ReactNode {
  const row = (tag: 'td' | 'th', cells: readonly Tokens.TableCell[]) =>
    createElement('tr', null, ...cells.map(({ tokens }) => createElement(tag, null, drawAll(tokens))));
  return (
    <div className="help-table">
      <table>
        <thead>{row('th', header)}</thead>
        {createElement('tbody', null, ...rows.map((cells) => row('td', cells)))}
      </table>
    </div>
  );
}
