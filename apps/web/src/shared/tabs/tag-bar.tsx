import './tag-bar.css';
import Dropdown from 'antd/es/dropdown';
import { type PointerEvent, useEffect, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { useText } from '../i18n/use-text.ts';
import { Icon } from '../ui/icon.tsx';
import { pageKey } from './kept-views.ts';
import { nextAfterClosing, type Tab, withAllClosed, withClosed, withOthersClosed } from './tabs.ts';
import { useTabs } from './tabs-store.ts';
import { askBeforeLosing, unsavedOn } from './unsaved-store.ts';

/** A press of this duration opens the menu on touch screens. */
const LONG_PRESS_MS = 500;

type Action = 'refresh' | keyof typeof CLOSING;

const CLOSING = {
  close: withClosed,
  'close-others': withOthersClosed,
  'close-all': withAllClosed,
};

/** Returns the keys of the mounted pages at these paths. */
function keysOf(paths: readonly string[]): Set<string> {
  const { generations } = useTabs.getState();
  return new Set(paths.map((path) => pageKey(path, generations[path] ?? 0)));
}

/**
 * Bar with the tabs of visited pages (requirements §2). A right click, the menu key or a long press opens
 * the actions of a tab.
 */
export function TagBar({ open, titleOf }: { open: string; titleOf: (tab: Tab) => string }) {
  const { text } = useText();
  const tabs = useTabs((state) => state.tabs);
  const navigate = useNavigate();
  const bar = useRef<HTMLElement>(null);
  /**
   * A new tab is added after its page was opened. If the limit of tabs is reached, their number stays the
   * same, so a change of the position is detected instead of a change of the number.
   */
  const place = tabs.findIndex(({ path }) => path === open);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or another bar moves it.
  useEffect(() => {
    bar.current
      ?.querySelector('[aria-current]')
      // The whole list item includes the close button of the tab.
      ?.closest('li')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  }, [open, place, tabs.length]);

  function act(action: Action, { path, address }: Tab) {
    if (action === 'refresh') {
      askBeforeLosing(unsavedOn(keysOf([path])), () => {
        void navigate(`/redirect${address}`, { replace: path === open });
      });
      return;
    }
    const before = useTabs.getState().tabs;
    const after = CLOSING[action](before, path);
    const kept = new Set(after.map((tab) => tab.path));
    const closed = before.filter((tab) => !kept.has(tab.path)).map((tab) => tab.path);
    askBeforeLosing(unsavedOn(keysOf(closed)), () => {
      useTabs.getState().replace(after);
      const next = nextAfterClosing(before, after, open);
      if (next !== null) void navigate(next);
    });
  }

  return (
    <nav
      ref={bar}
      className="tag-bar"
      aria-label={text('shell.tags')}
      onWheel={(event) => {
        if (Math.abs(event.deltaY) > Math.abs(event.deltaX)) event.currentTarget.scrollLeft += event.deltaY;
      }}
    >
      <ul>
        {tabs.map((tab) => (
          <Tag
            key={tab.path}
            tab={tab}
            title={titleOf(tab)}
            isOpen={tab.path === open}
            alone={tabs.every((other) => other.affix || other === tab)}
            onAct={(action) => act(action, tab)}
          />
        ))}
      </ul>
    </nav>
  );
}

function Tag({
  tab,
  title,
  isOpen,
  alone,
  onAct,
}: {
  tab: Tab;
  title: string;
  isOpen: boolean;
  /** True if there is no other tab to close. */
  alone: boolean;
  onAct: (action: Action) => void;
}) {
  const { text } = useText();
  const longPress = useLongPress();
  return (
    <Dropdown
      trigger={['contextMenu']}
      menu={{
        items: [
          { key: 'refresh', label: text('shell.tags.refresh') },
          { key: 'close', label: text('shell.tags.close'), disabled: tab.affix },
          { key: 'close-others', label: text('shell.tags.close-others'), disabled: alone },
          { key: 'close-all', label: text('shell.tags.close-all'), disabled: alone && tab.affix },
        ],
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation();
          onAct(key as Action);
        },
      }}
    >
      <li className={tab.affix ? 'tag-page tag-pinned' : 'tag-page'} {...longPress}>
        <Link
          to={tab.address}
          className="ellipsis"
          title={title}
          aria-current={isOpen ? 'page' : undefined}
          draggable={false}
          onKeyDown={(event) => {
            if (event.key === 'Delete' && !tab.affix) onAct('close');
          }}
          onAuxClick={(event) => {
            if (event.button !== 1 || tab.affix) return;
            event.preventDefault();
            onAct('close');
          }}
        >
          {title}
        </Link>
        {tab.affix ? (
          <Icon name="pin" small />
        ) : (
          <button
            type="button"
            className="tag-close"
            aria-label={text('shell.tags.close-named', { title })}
            onClick={() => onAct('close')}
          >
            <Icon name="close" small />
          </button>
        )}
      </li>
    </Dropdown>
  );
}

/** Detects a long press itself, because not every tablet sends a contextmenu event for it. */
function useLongPress() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const cancel = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    onPointerDown: ({ pointerType, clientX, clientY, currentTarget }: PointerEvent<HTMLElement>) => {
      if (pointerType !== 'touch') return;
      const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY });
      timer.current = setTimeout(() => currentTarget.dispatchEvent(event), LONG_PRESS_MS);
    },
    onPointerUp: cancel,
    onPointerMove: cancel,
    onPointerCancel: cancel,
  };
}
