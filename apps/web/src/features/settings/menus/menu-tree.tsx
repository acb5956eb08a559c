import type { Menu } from '@isotherm/contracts/menus';
import { isExternalLink } from '@isotherm/domain/access/links';
import type { Language } from '@isotherm/i18n/languages';
import { textId } from '@isotherm/i18n/text-id';
import Tree from 'antd/es/tree';
import { type Key, useMemo } from 'react';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { Icon, iconNamed } from '../../../shared/ui/icon.tsx';
import { titleIn } from '../titles-field.tsx';
import { childrenOf, type Place, placeOfDrop } from './menu-order.ts';

interface Branch {
  key: number;
  menu: Menu;
  children: Branch[];
}

export function menuName(
  { name, titles }: Pick<Menu, 'name' | 'titles'>,
  text: Text,
  language: Language,
): string {
  const id = `menu.${name}`;
  const title = text(textId(id));
  return titles[language] || (title === id ? titleIn(titles, language, name) : title);
}

/** The menu as a tree with drag and drop. */
export function MenuTree({
  menus,
  open,
  mayMove,
  onOpen,
  onMove,
}: {
  menus: readonly Menu[];
  open: number | undefined;
  mayMove: boolean;
  onOpen: (id: number) => void;
  onMove: (id: number, place: Place) => void;
}) {
  const { text, language } = useText();
  const branches = useMemo(() => {
    const grow = (parentId: number | null): Branch[] =>
      childrenOf(menus, parentId).map((menu) => ({ key: menu.id, menu, children: grow(menu.id) }));
    return grow(null);
  }, [menus]);
  return (
    <Tree<Branch>
      blockNode
      defaultExpandAll
      draggable={mayMove ? { icon: false } : false}
      treeData={branches}
      selectedKeys={open === undefined ? [] : [open]}
      onSelect={(_keys: Key[], { node }) => onOpen(node.menu.id)}
      titleRender={({ menu }) => (
        <span className={menu.hidden ? 'settings-menu-node tertiary' : 'settings-menu-node'}>
          {menu.parentId === null ? <Icon name={iconNamed(menu.icon)} /> : null}
          <span className="ellipsis">{menuName(menu, text, language)}</span>
          {menu.hidden ? <Icon name="eye-off" small /> : null}
          {isExternalLink(menu.path) ? <Icon name="external" small /> : null}
          {menu.system ? null : <span className="tag">{text('settings.menu.own')}</span>}
        </span>
      )}
      onDrop={({ dragNode, node, dropToGap, dropPosition }) => {
        const own = Number(node.pos.split('-').at(-1));
        const where = dropToGap ? (dropPosition < own + 0.5 ? 'before' : 'after') : 'inside';
        const place = placeOfDrop(menus, dragNode.menu.id, node.menu.id, where);
        if (place) onMove(dragNode.menu.id, place);
      }}
    />
  );
}
