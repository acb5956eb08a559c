import { useEffect, useRef } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Icon } from './icon.tsx';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** The filter of a page: `/` goes to it, Escape empties it (ui.md 9). */
export function FilterBox({
  value,
  placeholder,
  onChange,
  className = '',
}: {
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  className?: string;
}) {
  const { text } = useText();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <div className={`field field-soft ${className}`}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        value={value}
        placeholder={placeholder}
        aria-label={placeholder}
        maxLength={100}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          onChange('');
          input.current?.blur();
        }}
      />
      {value === '' ? (
        <span className="key-hint" aria-hidden="true">
          /
        </span>
      ) : (
        <button
          type="button"
          className="button button-text button-icon button-small"
          aria-label={text('common.action.clear-filter')}
          onClick={() => onChange('')}
        >
          <Icon name="close" small />
        </button>
      )}
    </div>
  );
}
