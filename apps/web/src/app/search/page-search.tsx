import './page-search.css';
import type { RouteObject } from '@isotherm/contracts/settings';
import Modal from 'antd/es/modal';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { isSearchable, menuPages, menuTitle, titlesOf } from '../../features/settings/menu.ts';
import { readCookie } from '../../shared/api/cookies.ts';
import { useAllLanguages } from '../../shared/i18n/use-all-languages.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon, type IconName, iconNamed } from '../../shared/ui/icon.tsx';
import { type SearchablePage, searchPages, withRecent } from './menu-search.ts';
import { useThings } from './use-things.ts';

/** Storage key of the recent pages of a user in this browser. */
const recentKey = () => `isotherm.recent-pages.${readCookie('username')}`;

function readRecent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(recentKey()) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

interface Entry {
  key: string;
  path: string;
  icon: IconName;
  title: string;
  trail: string;
  /** Route name of the page; absent if the hit is not a page. */
  page?: string;
}

interface Section {
  title: string;
  entries: readonly Entry[];
}

/** Search dialog for pages, assets and devices (ui.md 9), with keyboard navigation and recent pages. */
export default function PageSearch({ menu, onClose }: { menu: readonly RouteObject[]; onClose: () => void }) {
  const { text, language } = useText();
  const navigate = useNavigate();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [recent] = useState(readRecent);

  const languages = useAllLanguages();
  const routes = useMemo(() => menuPages(menu), [menu]);
  const pages = useMemo(
    () =>
      routes
        .filter(isSearchable)
        .map(({ route, groups, path }): SearchablePage & { icon: string | undefined } => ({
          name: route.name,
          path,
          icon: route.meta.icon ?? groups.at(-1)?.meta.icon,
          title: menuTitle(route, text, language),
          groups: groups.map((group) => menuTitle(group, text, language)),
          titles: languages ? titlesOf(route, languages) : [],
        })),
    [routes, text, language, languages],
  );
  const byName = useMemo(() => new Map(pages.map((page) => [page.name, page])), [pages]);
  const isEmpty = query.trim() === '';
  const shownPages = useMemo(() => {
    const names = isEmpty ? recent : searchPages(pages, query).map(({ page }) => page.name);
    const found = names.flatMap((name) => byName.get(name) ?? []);
    return isEmpty && found.length === 0 ? pages.slice(0, 8) : found;
  }, [isEmpty, recent, pages, query, byName]);
  const things = useThings(query, {
    assets: routes.some(({ route }) => route.name === 'asset'),
    devices: routes.some(({ route }) => route.name === 'device-list'),
  });
  const sections: Section[] = [
    {
      title: text(isEmpty && recent.length > 0 ? 'shell.search.recent' : 'shell.search.pages'),
      entries: shownPages.map(({ name, path, icon, title, groups }) => ({
        key: name,
        page: name,
        path,
        icon: iconNamed(icon),
        title,
        trail: groups.join(' / '),
      })),
    },
    {
      title: text('shell.search.assets'),
      entries: things.assets.map((thing) => ({ ...thing, icon: 'assets' as const })),
    },
    {
      title: text('shell.search.devices'),
      entries: things.devices.map((thing) => ({ ...thing, icon: 'devices' as const })),
    },
  ].filter(({ entries }) => entries.length > 0);
  const shown = sections.flatMap(({ entries }) => entries);
  const chosen = shown[Math.min(at, shown.length - 1)];

  const chosenKey = chosen?.key;
  useEffect(() => {
    if (chosenKey) document.getElementById(`${listId}-${chosenKey}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosenKey, listId]);

  function open(entry: Entry | undefined) {
    if (!entry) return;
    if (entry.page) localStorage.setItem(recentKey(), JSON.stringify(withRecent(recent, entry.page)));
    onClose();
    void navigate(entry.path);
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
      className="search-dialog"
      style={{ top: 96 }}
      styles={{ container: { padding: 0 } }}
    >
      <div className="search-box">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the one thing to do here is to type.
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={chosen ? `${listId}-${chosen.key}` : undefined}
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
      <div role="listbox" id={listId} aria-label={text('shell.search.title')} className="search-list">
        {sections.map(({ title, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a list, not fields of a form.
          <div key={title} role="group" aria-label={title}>
            <p className="search-lead small tertiary">{title}</p>
            {entries.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the box above, which keeps the focus.
              <div
                key={entry.key}
                id={`${listId}-${entry.key}`}
                role="option"
                tabIndex={-1}
                aria-selected={entry.key === chosen?.key}
                className="search-hit"
                onPointerMove={() => setAt(shown.indexOf(entry))}
                onClick={() => open(entry)}
              >
                <Icon name={entry.icon} />
                <span className="ellipsis">{entry.title}</span>
                <span className="small tertiary ellipsis end">{entry.trail}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      {shown.length === 0 && !things.waits ? (
        <p className="search-none secondary" role="status">
          {text('shell.search.none', { query })}
        </p>
      ) : null}
      <p className="search-foot small tertiary">{text('shell.search.keys')}</p>
    </Modal>
  );
}
