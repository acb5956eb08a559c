import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { useWhenGone } from '../tabs/kept-page.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** The page hears of what is typed after a pause of this length. */
const SETTLES_MS = 250;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * The filter of a page: `/` goes to it, Escape empties it (ui.md 9). It holds the letters itself: the
 * address, which the page's filter lives in, changes too late to keep up with typing.
 */
export function FilterBox({
  value,
  placeholder,
  onChange,
  onKey,
  box,
  className = '',
}: {
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  /** Hears keys first, with the letters that stand here now. */
  onKey?: (event: KeyboardEvent<HTMLInputElement>, typed: string) => void;
  /** Where it is the first thing to do: it has the focus at once, and keeps it when it is emptied. */
  box?: RefObject<HTMLInputElement | null>;
  className?: string;
}) {
  const { text } = useText();
  const own = useRef<HTMLInputElement>(null);
  const input = box ?? own;
  const [typed, setTyped] = useState(value);
  const last = useRef(value);
  /** Said to the page and not yet come back from it: addresses may lag behind two words. */
  const said = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const tell = useRef(onChange);
  tell.current = onChange;

  // Only a value that did not come from here (Back, a cleared filter) replaces what was typed.
  useEffect(() => {
    const echo = said.current.indexOf(value);
    if (echo >= 0) {
      said.current = said.current.slice(echo + 1);
      return;
    }
    if (value === last.current) return;
    last.current = value;
    said.current = [];
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  // A hidden page still takes the last words that were typed, into its own address.
  useWhenGone(() => clearTimeout(timer.current));

  const say = (next: string) => {
    if (next === last.current) return;
    last.current = next;
    said.current.push(next);
    tell.current(next);
  };
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => say(next), SETTLES_MS);
  };
  const clear = () => {
    setTyped('');
    clearTimeout(timer.current);
    say('');
  };

  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, [input]);
  return (
    <div className={`field field-soft ${className}`}>
      <Icon name="search" />
      <input
        ref={input}
        // biome-ignore lint/a11y/noAutofocus: only where it is the first thing to do.
        autoFocus={box !== undefined}
        type="search"
        value={typed}
        placeholder={placeholder}
        aria-label={placeholder}
        maxLength={100}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          onKey?.(event, typed);
          // What is typed filters by itself; the form around it is not sent by it.
          if (event.key === 'Enter') event.preventDefault();
          if (event.key !== 'Escape') return;
          // The first Escape empties, the next closes the layer that it stands in.
          if (typed !== '') event.stopPropagation();
          clear();
          if (!box) input.current?.blur();
        }}
      />
      {typed === '' ? (
        <span className="key-hint" aria-hidden="true">
          /
        </span>
      ) : (
        <Button
          variant="quiet"
          size="small"
          icon
          aria-label={text('common.action.clear-filter')}
          onClick={clear}
        >
          <Icon name="close" small />
        </Button>
      )}
    </div>
  );
}
