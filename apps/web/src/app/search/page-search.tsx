import './page-search.css';
import type { RouteObject } from '@isotherm/contracts/settings';
import { MOST_LETTERS } from '@isotherm/domain/search/kinds';
import { useQuery } from '@tanstack/react-query';
import Modal from 'antd/es/modal';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { isSearchable, menuPages, menuTitle, titlesOf } from '../../features/settings/menu.ts';
import { readCookie } from '../../shared/api/cookies.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useAllLanguages } from '../../shared/i18n/use-all-languages.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon, iconNamed } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { namesAction, searchActions, textsOf } from './action-search.ts';
import { ACTIONS } from './actions.ts';
import { type SearchablePage, searchPages, withRecent } from './menu-search.ts';
import { type Entry, recordSections, type Section } from './record-sections.ts';
import { heldPermissionsQuery, useRecords } from './search.queries.ts';

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

/** Search dialog for pages, actions and records (ui.md 9), with keyboard navigation and recent pages. */
export default function PageSearch({ menu, onClose }: { menu: readonly RouteObject[]; onClose: () => void }) {
  const viewer = useViewer();
  const { text, language } = viewer;
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
  const { data: held } = useQuery(heldPermissionsQuery);
  const actions = useMemo(() => {
    const permissions = new Set(held?.permissions);
    const named = new Map(routes.map((page) => [page.route.name, page]));
    return ACTIONS.filter(
      ({ page, permission }) => named.has(page) && (!permission || permissions.has(permission)),
    ).map((action) => ({
      ...action,
      icon: iconNamed(named.get(action.page)?.groups.at(-1)?.meta.icon),
      pageTitle: byName.get(action.page)?.title ?? '',
      title: text(`search.action.${action.name}`),
      ...textsOf(action, languages),
    }));
  }, [held, routes, byName, text, languages]);
  const records = useRecords(query);
  const offered = searchActions(actions, query);
  const actionSection: Section = {
    key: 'actions',
    title: text('search.group.actions'),
    entries: offered.map(({ name, path, icon, title, pageTitle }) => ({
      key: `action-${name}`,
      path,
      icon,
      title,
      trail: pageTitle,
    })),
  };
  const recordsFound = records.found
    ? recordSections(records.found, query, viewer, (name) => byName.get(name))
    : [];
  // An action that is only found by other words for it comes after the records.
  const sections: Section[] = [
    {
      key: 'pages',
      title: text(isEmpty && recent.length > 0 ? 'search.recent' : 'search.group.pages'),
      entries: shownPages.map(({ name, path, icon, title, groups }) => ({
        key: name,
        page: name,
        path,
        icon: iconNamed(icon),
        title,
        trail: groups.join(' / '),
      })),
    },
    ...(offered.some((action) => namesAction(action, query))
      ? [actionSection, ...recordsFound]
      : [...recordsFound, actionSection]),
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
      title={text('search.title')}
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
          aria-label={text('search.title')}
          placeholder={text('search.title')}
          maxLength={MOST_LETTERS}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <kbd className="key-hint">Esc</kbd>
      </div>
      <div role="listbox" id={listId} aria-label={text('search.title')} className="search-list">
        {sections.map(({ key, title, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a list, not fields of a form.
          <div key={key} role="group" aria-label={title}>
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
                {entry.level ? <LevelGlyph level={entry.level} /> : <Icon name={entry.icon} />}
                <span className="ellipsis">{entry.title}</span>
                <span className="small tertiary ellipsis end">{entry.trail}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      <SearchState records={records} query={query} isEmpty={shown.length === 0} count={shown.length} />
      <p className="search-foot small tertiary">{text('search.keys')}</p>
    </Modal>
  );
}

/** Says what the search is doing, for everybody and for screen readers: it waits, failed, or found nothing. */
function SearchState({
  records: { error, retry, waits, isShort },
  query,
  isEmpty,
  count,
}: {
  records: ReturnType<typeof useRecords>;
  query: string;
  isEmpty: boolean;
  count: number;
}) {
  const { text } = useViewer();
  if (error)
    return (
      <div className="search-state" role="alert">
        <span className="secondary">{error.message}</span>
        <Button size="small" onClick={retry}>
          {text('common.action.retry')}
        </Button>
      </div>
    );
  if (waits)
    return (
      <p className="search-state secondary" role="status" aria-busy="true">
        {text('search.waits')}
      </p>
    );
  if (isShort && isEmpty)
    return (
      <p className="search-state secondary" role="status">
        {text('search.short')}
      </p>
    );
  if (isEmpty)
    return (
      <p className="search-state secondary" role="status">
        {text('search.none', { query })}
        <br />
        {text('search.none.hint')}
      </p>
    );
  return (
    <p className="visually-hidden" role="status">
      {text('search.count', { count })}
    </p>
  );
}
