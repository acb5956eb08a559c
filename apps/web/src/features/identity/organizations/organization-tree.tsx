import type { OrganizationNode } from '@isotherm/contracts/organizations';
import { mayStandBelow } from '@isotherm/domain/access/organization-tree';
import Tree from 'antd/es/tree';
import { type Key, useEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { indexTree } from '../../../shared/ui/tree/tree-index.ts';

const MOST_FOUND = 200;
/** A tree with up to this many organisations is fully expanded. */
const OPEN_WHOLE = 40;

type RefTree = NonNullable<React.ComponentRef<typeof Tree>>;

interface Branch {
  key: number;
  title: string;
  node: OrganizationNode;
  isLeaf: boolean;
  /** Path of the organisation, shown in search results. */
  place?: string;
  children?: Branch[];
}

/** The organisation tree. It is virtualised, so that 20,000 nodes are fast. */
export function OrganizationTree({
  nodes,
  selected,
  height,
  mayMove,
  onSelect,
  onMove,
}: {
  nodes: readonly OrganizationNode[];
  selected: number | null;
  height: number;
  mayMove: boolean;
  onSelect: (id: number) => void;
  /** Called when a node was dropped on another one. */
  onMove: (id: number, target: number) => void;
}) {
  const { text } = useText();
  const [search, setSearch] = useState('');
  const index = useMemo(() => indexTree(nodes), [nodes]);
  const [expanded, setExpanded] = useState<Key[]>(() =>
    (nodes.length <= OPEN_WHOLE ? nodes : index.roots).map(({ id }) => id),
  );
  const shownFor = useRef<number | null>(null);
  const tree = useRef<RefTree>(null);

  // The path to the node that the address names is expanded once; the user may collapse it again.
  useEffect(() => {
    if (selected === null || shownFor.current === selected || !index.get(selected)) return;
    shownFor.current = selected;
    setExpanded((keys) => [...new Set([...keys, ...index.ancestorsOf(selected).map(({ id }) => id)])]);
    // The tree scrolls after its rows are rendered.
    const frame = requestAnimationFrame(() => tree.current?.scrollTo({ key: selected, align: 'auto' }));
    return () => cancelAnimationFrame(frame);
  }, [selected, index]);

  // Only expanded branches are passed on, because the tree component processes all its data on every render.
  const whole = useMemo(() => {
    const opened = new Set(expanded);
    const branch = (node: OrganizationNode): Branch => {
      const below = index.childrenOf(node.id);
      const own = { key: node.id, title: node.name, node, isLeaf: below.length === 0 };
      return opened.has(node.id) ? { ...own, children: below.map(branch) } : own;
    };
    return index.roots.map(branch);
  }, [index, expanded]);
  const found = useMemo(
    () =>
      search === ''
        ? null
        : index.search(search, MOST_FOUND).map((node) => ({
            key: node.id,
            title: node.name,
            node,
            isLeaf: true,
            place: index
              .ancestorsOf(node.id)
              .map(({ name }) => name)
              .join(' / '),
          })),
    [index, search],
  );

  return (
    <div className="org-tree">
      <div className="org-tree-search">
        <FilterBox value={search} placeholder={text('organizations.search')} onChange={setSearch} />
      </div>
      {found?.length === 0 ? <Notice icon="search" title={text('common.list.no-match')} /> : null}
      <Tree<Branch>
        ref={tree}
        treeData={found ?? whole}
        height={height}
        itemHeight={32}
        virtual
        blockNode
        showLine={false}
        expandedKeys={expanded}
        selectedKeys={selected === null ? [] : [selected]}
        onExpand={setExpanded}
        onSelect={(_, { node }) => onSelect(node.key)}
        draggable={
          mayMove && !found ? { icon: false, nodeDraggable: ({ key }) => !isRoot(Number(key)) } : false
        }
        allowDrop={({ dragNode, dropNode, dropPosition }) =>
          dropPosition === 0 &&
          mayStandBelow(dragNode.node.level, dropNode.node.level) &&
          !index.subtreeOf(dragNode.key).has(dropNode.key)
        }
        onDrop={({ dragNode, node }) => onMove(dragNode.key, node.key)}
        titleRender={(branch) => (
          <span className="org-node">
            <span>{branch.title}</span>
            <span className="small tertiary">
              {branch.place ? branch.place : text(`organizations.level.${branch.node.level}`)}
            </span>
          </span>
        )}
      />
      <div className="org-tree-foot small tertiary">
        {text('organizations.count', { count: nodes.length })}
      </div>
    </div>
  );

  function isRoot(id: number): boolean {
    return index.roots.some((root) => root.id === id);
  }
}
