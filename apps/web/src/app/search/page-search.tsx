import './page-search.css';
import type { RouteObject } from '@isotherm/contracts/settings';
import { MENU_TITLES } from '@isotherm/i18n/menu-titles';
import Modal from 'antd/es/modal';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { isSearchable, menuPages, menuTitle, titlesOf } from '../../features/settings/menu.ts';
import { readCookie } from '../../shared/api/cookies.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon, iconNamed } from '../../shared/ui/icon.tsx';
import { type SearchablePage, searchPages, withRecent } from './menu-search.ts';

/** Recents of one person on this browser. */
const recentKey = () => `isotherm.recent-pages.${readCookie('username')}`;

function readRecent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(recentKey()) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

interface Entry extends SearchablePage {
  icon: string | undefined;
}

/** Search over the pages of the menu (ui.md 9): by letters, with the arrow keys, and what was opened last. */
export default function PageSearch({ menu, onClose }: { menu: readonly RouteObject[]; onClose: () => void }) {
  const { text, language } = useText();
  const navigate = useNavigate();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [recent] = useState(readRecent);

  const pages = useMemo(
    () =>
      menuPages(menu)
        .filter(isSearchable)
        .map(
          ({ route, groups, path }): Entry => ({
            name: route.name,
            path,
            icon: route.meta.icon ?? groups.at(-1)?.meta.icon,
            title: menuTitle(route, text, language),
            groups: groups.map((group) => menuTitle(group, text, language)),
            titles: titlesOf(route, MENU_TITLES),
          }),
        ),
    [menu, text, language],
  );
  const byName = useMemo(() => new Map(pages.map((page) => [page.name, page])), [pages]);
  const isEmpty = query.trim() === '';
  const shown: Entry[] = useMemo(() => {
    const names = isEmpty ? recent : searchPages(pages, query).map(({ page }) => page.name);
    const found = names.flatMap((name) => byName.get(name) ?? []);
    return isEmpty && found.length === 0 ? pages.slice(0, 8) : found;
  }, [isEmpty, recent, pages, query, byName]);
  const chosen = shown[Math.min(at, shown.length - 1)];

  useEffect(() => {
    if (chosen) document.getElementById(`${listId}-${chosen.name}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, listId]);

  function open(page: Entry | undefined) {
    if (!page) return;
    localStorage.setItem(recentKey(), JSON.stringify(withRecent(recent, page.name)));
    onClose();
    void navigate(page.path);
  }

  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((now) => (Math.min(now, shown.length - 1) + step + shown.length) % Math.max(shown.length, 1));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(chosen);
    }
  }

  return (
    <Modal
      open
      onCancel={onClose}
      footer={null}
      closable={false}
      width={560}
      title={text('shell.search.title')}
      className="page-search"
      style={{ top: 96 }}
      styles={{ container: { padding: 0 } }}
    >
      <div className="page-search-box">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the one thing to do here is to type.
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={chosen ? `${listId}-${chosen.name}` : undefined}
          aria-label={text('shell.search.title')}
          placeholder={text('shell.search.title')}
          maxLength={60}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <kbd className="key-hint">Esc</kbd>
      </div>
      {isEmpty && recent.length > 0 ? (
        <p className="page-search-lead small tertiary">{text('shell.search.recent')}</p>
      ) : null}
      <div role="listbox" id={listId} aria-label={text('shell.search.pages')} className="page-search-list">
        {shown.map((page) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the box above, which keeps the focus.
          <div
            key={page.name}
            id={`${listId}-${page.name}`}
            role="option"
            tabIndex={-1}
            aria-selected={page === chosen}
            className="page-search-hit"
            onPointerMove={() => setAt(shown.indexOf(page))}
            onClick={() => open(page)}
          >
            <Icon name={iconNamed(page.icon)} />
            <span className="ellipsis">{page.title}</span>
            <span className="small tertiary ellipsis end">{page.groups.join(' / ')}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 ? (
        <p className="page-search-none secondary" role="status">
          {text('shell.search.none', { query })}
        </p>
      ) : null}
      <p className="page-search-foot small tertiary">{text('shell.search.keys')}</p>
    </Modal>
  );
}
