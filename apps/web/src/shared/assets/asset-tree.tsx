import './assets.css';
import type { AssetTreeNode } from '@isotherm/contracts/asset-groups';
import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { useQueries, useQuery } from '@tanstack/react-query';
import Tree from 'antd/es/tree';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useText } from '../i18n/use-text.ts';
import { FilterBox } from '../ui/filter-box.tsx';
import { Icon } from '../ui/icon.tsx';
import { LevelGlyph, UnknownGlyph } from '../ui/level-glyph.tsx';
import { FailureNotice, Notice } from '../ui/notice.tsx';
import { indexTree, type TreeIndex } from '../ui/tree/tree-index.ts';
import { useNarrow } from '../ui/use-narrow.ts';
import { AssetGlyph } from './asset-glyph.tsx';
import { assetTreeQuery, OFFERED, offeredQuery } from './assets.queries.ts';

const HEIGHT_PX = 380;
/** Smallest height of the list, for screens with little height. */
const LEAST_PX = 200;
const ASSET = 'asset:';

interface Branch {
  key: string;
  title: ReactNode;
  checkable: boolean;
  selectable: boolean;
  isLeaf: boolean;
  children?: Branch[];
}

type Choice =
  | { several: ReadonlySet<number>; onCheck: (next: ReadonlySet<number>) => void }
  | {
      one: number | undefined;
      onTake: (asset: ListedAsset) => void;
      /** The selected organisation, where organisations can be selected as well. */
      place?: number | undefined;
      onPlace?: (organizationId: number) => void;
    };

/**
 * Assets in the tree of organisations, or found by search. Each node shows its number of assets and the
 * worst state. Keyboard: characters go to the search, arrows move in the tree, Enter selects the marked node
 * or the only match.
 */
export function AssetTree({
  box,
  within,
  home,
  typed = '',
  aroundPx,
  children,
  ...choice
}: Choice & {
  /** The search input, so that the parent can focus it. */
  box: RefObject<HTMLInputElement | null>;
  /** If set, only assets that belong directly to this organisation are offered. */
  within?: number | undefined;
  /** Organisation that is expanded at first. */
  home?: number | undefined;
  typed?: string;
  /** Space above and below the tree on a phone, where the tree fills the rest of the screen. */
  aroundPx: number;
  children?: ReactNode;
}) {
  const { text } = useText();
  const narrow = useNarrow();
  const [words, setWords] = useState(typed);
  const [opened, setOpened] = useState<readonly number[] | null>(null);
  /** Search text for which the user pressed Enter before its results were loaded. */
  const [entered, setEntered] = useState<string | null>(null);
  const holder = useRef<HTMLDivElement>(null);
  const active = useRef<string | null>(null);

  const listed = within !== undefined || words !== '';
  const { data: nodes, error, refetch } = useQuery({ ...assetTreeQuery, enabled: within === undefined });
  const index = useMemo(() => indexTree(nodes ?? []), [nodes]);
  const open = useMemo(() => opened ?? begin(index, home), [opened, index, home]);
  const asked = {
    ...(within === undefined ? {} : { organizationId: within }),
    ...(words === '' ? {} : { search: words }),
  };
  const found = useQuery({ ...offeredQuery(asked), enabled: listed });
  const parts = useQueries({
    queries: listed ? [] : open.map((organizationId) => offeredQuery({ organizationId })),
  });
  const failed = [found, ...parts].find((part) => part.error && !part.data);
  const pages = listed ? [found] : parts;
  const known = new Map(pages.flatMap(({ data }) => data?.items ?? []).map((asset) => [asset.id, asset]));
  const checked = 'several' in choice ? choice.several : null;

  const offers = (page: (typeof parts)[number] | undefined, above: string): Branch[] => {
    const row = (key: string, title: string): Branch => ({
      key: `${key}:${above}`,
      title: <span className="secondary">{title}</span>,
      checkable: false,
      selectable: false,
      isLeaf: true,
    });
    if (!page?.data) return page?.isPending ? [row('loading', text('common.loading'))] : [];
    return [
      ...page.data.items.map((asset) => leafOf(asset, listed && within === undefined)),
      ...(page.data.total > OFFERED ? [row('more', text('assets.picker.more'))] : []),
    ];
  };
  const branch = (node: AssetTreeNode): Branch => {
    const at = open.indexOf(node.id);
    return {
      key: String(node.id),
      title: <NodeTitle node={node} />,
      checkable: false,
      selectable: 'onPlace' in choice,
      isLeaf: node.assets === 0,
      ...(at < 0
        ? {}
        : {
            children: [
              ...index
                .childrenOf(node.id)
                .filter(({ assets }) => assets > 0)
                .map(branch),
              ...offers(parts[at], String(node.id)),
            ],
          }),
    };
  };
  const shown = listed ? offers(found, 'found') : index.roots.map(branch);

  function take(asset: ListedAsset): void {
    if ('one' in choice) choice.onTake(asset);
    else choice.onCheck(new Set(choice.several).add(asset.id));
  }
  const toTree = () => holder.current?.querySelector<HTMLElement>('[role="tree"]')?.focus();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer to what was entered, and nothing else, is waited for.
  useEffect(() => {
    if (entered === null || entered !== words || !found.data) return;
    setEntered(null);
    const hit = onlyHit(found.data.items, entered);
    if (hit) take(hit);
    else toTree();
  }, [entered, words, found.data]);

  function fromBox(event: KeyboardEvent, letters: string): void {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      toTree();
    }
    if (event.key !== 'Enter') return;
    const asking = letters.trim();
    if (asking === '') {
      toTree();
      return;
    }
    setWords(asking);
    setEntered(asking);
  }
  function fromTree(event: KeyboardEvent): void {
    // Typing a character starts a search, wherever the focus is.
    if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey)
      box.current?.focus();
    // Enter is handled here, because the tree ignores it on a node that is already selected.
    const asset = 'one' in choice && active.current === `${ASSET}${choice.one}` && known.get(choice.one ?? 0);
    if (event.key !== 'Enter' || !asset) return;
    // Without this call, Enter would also press the button that gets the focus back.
    event.preventDefault();
    take(asset);
  }

  return (
    <>
      <FilterBox
        box={box}
        value={words}
        placeholder={text('assets.search')}
        onChange={(next) => setWords(next.trim())}
        onKey={fromBox}
      />
      {children}
      <div className="picker-tree" ref={holder}>
        {error && !nodes ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {failed ? <FailureNotice error={failed.error as Error} retry={() => void failed.refetch()} /> : null}
        {listed && found.data?.items.length === 0 ? (
          words === '' ? (
            <Notice icon="refrigerator" title={text('assets.picker.none-within')}>
              {text('assets.picker.none-within.reason')}
            </Notice>
          ) : (
            <Notice icon="search" title={text('common.list.no-match')} />
          )
        ) : null}
        <Tree<Branch>
          aria-label={text('assets.picker.title')}
          blockNode
          checkStrictly
          motion={false}
          height={narrow ? Math.max(LEAST_PX, window.innerHeight - aroundPx) : HEIGHT_PX}
          expandAction="click"
          treeData={shown}
          expandedKeys={listed ? [] : open.map(String)}
          onExpand={(keys) => setOpened(keys.map(Number))}
          onActiveChange={(key) => {
            active.current = key === null ? null : String(key);
          }}
          onKeyDown={fromTree}
          checkable={checked !== null}
          selectable={checked === null}
          checkedKeys={[...(checked ?? [])].map((id) => `${ASSET}${id}`)}
          onCheck={(_, { checked: now, node }) => {
            if (!('several' in choice)) return;
            const next = new Set(choice.several);
            if (now) next.add(idOf(node.key));
            else next.delete(idOf(node.key));
            choice.onCheck(next);
          }}
          selectedKeys={selectedOf(choice)}
          onSelect={(_, { node }) => {
            if (!node.key.startsWith(ASSET)) {
              if ('onPlace' in choice) choice.onPlace?.(Number(node.key));
              return;
            }
            const asset = known.get(idOf(node.key));
            if (asset) take(asset);
          }}
        />
      </div>
    </>
  );
}

function selectedOf(choice: Choice): string[] {
  if ('several' in choice) return [];
  if (choice.one !== undefined) return [`${ASSET}${choice.one}`];
  return choice.place === undefined ? [] : [String(choice.place)];
}

const idOf = (key: string) => Number(key.slice(ASSET.length));

/** Returns the ids to expand at first: the roots, and the path to an organisation. */
function begin(index: TreeIndex<AssetTreeNode>, home: number | undefined): readonly number[] {
  const way = home === undefined ? [] : [...index.ancestorsOf(home).map(({ id }) => id), home];
  const tops = index.roots.filter(({ assets }) => assets > 0).map(({ id }) => id);
  return [...new Set([...tops, ...way])].filter((id) => index.get(id));
}

/** Returns the match that Enter selects: the exact one, or the only one. */
function onlyHit(assets: readonly ListedAsset[], typed: string): ListedAsset | undefined {
  const wanted = typed.toLowerCase();
  const called = assets.filter(({ name, code, plate, factoryNumber }) =>
    [name, code, plate, factoryNumber].some((word) => word.toLowerCase() === wanted),
  );
  const hits = called.length > 0 ? called : assets;
  return hits.length === 1 ? hits[0] : undefined;
}

function leafOf(asset: ListedAsset, withPlace: boolean): Branch {
  return {
    key: `${ASSET}${asset.id}`,
    checkable: true,
    selectable: true,
    isLeaf: true,
    title: (
      <span className="picker-leaf">
        <Icon name={asset.kind} />
        <span className="ellipsis">{asset.name}</span>
        <span className="small tertiary ellipsis">
          {withPlace ? `${asset.code} · ${asset.organizationName}` : asset.code}
        </span>
        <AssetGlyph asset={asset} />
      </span>
    ),
  };
}

function NodeTitle({ node }: { node: AssetTreeNode }) {
  const { text } = useText();
  return (
    <span className="picker-leaf">
      <span className="ellipsis">{node.name}</span>
      <span className="small tertiary">{text('assets.picker.count', { count: node.assets })}</span>
      {node.level > 0 ? <LevelGlyph level={node.level as AlarmLevel} mode="solid" /> : null}
      {node.level === 0 && node.silent > 0 ? <UnknownGlyph /> : null}
    </span>
  );
}
