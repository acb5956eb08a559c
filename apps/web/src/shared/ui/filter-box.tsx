import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { useWhenGone } from '../tabs/kept-page.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Debounce delay in ms before the page receives the text. */
const SETTLES_MS = 250;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * Text filter of a page: `/` focuses it, Escape clears it (ui.md 9). It keeps the text in its own state,
 * because the address that stores the filter changes too slowly for typing.
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
  /** Called for each key before the filter handles it, with the current text. */
  onKey?: (event: KeyboardEvent<HTMLInputElement>, typed: string) => void;
  /** Reference to the input, for pages that focus the filter at first and after it is cleared. */
  box?: RefObject<HTMLInputElement | null>;
  className?: string;
}) {
  const { text } = useText();
  const own = useRef<HTMLInputElement>(null);
  const input = box ?? own;
  const [typed, setTyped] = useState(value);
  const last = useRef(value);
  /**
   * Values that were passed to the page and do not appear in the address yet. There may be two of them at a
   * time.
   */
  const said = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const tell = useRef(onChange);
  tell.current = onChange;

  // The typed text is replaced only by a value that was set elsewhere, such as by the Back button or a
  // cleared filter.
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
  // If the page becomes hidden, pending text is still applied to its own address, so the timer is cleared
  // only when the filter is removed for good.
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
          // The filter applies while typing, so Enter must not submit the surrounding form.
          if (event.key === 'Enter') event.preventDefault();
          if (event.key !== 'Escape') return;
          // The first Escape clears the text; the second one closes the surrounding dialog or drawer.
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
