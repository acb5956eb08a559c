import './groups.css';
import type { AssetTreeNode } from '@isotherm/contracts/asset-groups';
import type { ListedAsset } from '@isotherm/contracts/asset-registry';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import Modal from 'antd/es/modal';
import Tree from 'antd/es/tree';
import { type ReactNode, useMemo, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { useSettled } from '../../../shared/ui/form/use-settled.ts';
import { LevelGlyph, UnknownGlyph } from '../../../shared/ui/level-glyph.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { assetTreeQuery, OFFERED, offeredQuery } from './groups.queries.ts';
import { SavedSelections } from './saved-selections.tsx';

const HEIGHT_PX = 380;
/** A member change takes so many at once. */
const MOST = 1000;
const ASSET = 'asset:';

interface Branch {
  key: string;
  title: ReactNode;
  checkable: boolean;
  isLeaf?: boolean;
  children?: Branch[];
}

/** Chooses assets out of the tree of organisations, or by words; each node says how many it holds and the worst. */
export function AssetPicker({
  initial = [],
  most = MOST,
  submitLabel,
  onChoose,
  onClose,
}: {
  initial?: readonly number[];
  most?: number;
  submitLabel: (count: number) => string;
  onChoose: (ids: readonly number[]) => Promise<unknown> | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const queries = useQueryClient();
  const [search, setSearch] = useState('');
  const words = useSettled(search.trim());
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set(initial));
  const [loaded, setLoaded] = useState<ReadonlyMap<number, readonly Branch[]>>(new Map());
  const [busy, setBusy] = useState(false);
  const { data: nodes, error, refetch } = useQuery(assetTreeQuery);
  const { data: found } = useQuery({ ...offeredQuery({ search: words }), enabled: words !== '' });
  const branches = useMemo(() => branchesOf(nodes ?? [], loaded), [nodes, loaded]);
  const shown = words === '' ? branches : (found?.items ?? []).map(leafOf);
  const more = (total: number): Branch[] =>
    total > OFFERED
      ? [{ key: `more:${total}`, title: text('assets.picker.more'), checkable: false, isLeaf: true }]
      : [];

  async function load({ key }: { key: unknown }): Promise<void> {
    const id = Number(key);
    if (loaded.has(id)) return;
    const { items, total } = await queries.fetchQuery(offeredQuery({ organizationId: id }));
    setLoaded((old) => new Map(old).set(id, [...items.map(leafOf), ...more(total)]));
  }
  async function choose() {
    setBusy(true);
    try {
      await onChoose([...chosen]);
      onClose();
    } catch {
      // The client has said what was refused; what is chosen is kept.
      setBusy(false);
    }
  }

  return (
    <>
      <FocusReturn />
      <Modal
        open
        width={560}
        title={text('assets.picker.title')}
        onCancel={busy ? () => undefined : onClose}
        footer={
          <div className="confirm-foot">
            <button type="button" className="button" onClick={onClose} disabled={busy}>
              {text('common.action.cancel')}
            </button>
            <button
              type="button"
              className="button button-primary"
              disabled={busy || chosen.size === 0 || chosen.size > most}
              onClick={() => void choose()}
            >
              {submitLabel(chosen.size)}
            </button>
          </div>
        }
      >
        <FilterBox value={search} placeholder={text('assets.search')} onChange={setSearch} />
        <SavedSelections chosen={chosen} onChoose={(ids) => setChosen(new Set(ids))} />
        {chosen.size > most ? (
          <p className="small" role="status">
            {text('assets.picker.most', { most })}
          </p>
        ) : null}
        <div className="asset-picker">
          {error && !nodes ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
          {words !== '' && found?.items.length === 0 ? (
            <Notice icon="search" title={text('common.list.no-match')} />
          ) : null}
          <Tree<Branch>
            checkable
            checkStrictly
            selectable={false}
            motion={false}
            height={HEIGHT_PX}
            treeData={[...shown, ...(words === '' ? [] : more(found?.total ?? 0))]}
            onExpand={(_, { expanded, node }) => {
              // The client has said what failed; opening it again asks again.
              if (expanded) void load(node).catch(() => undefined);
            }}
            checkedKeys={[...chosen].map((id) => `${ASSET}${id}`)}
            onCheck={(_, { checked, node }) => {
              const id = Number(String(node.key).slice(ASSET.length));
              const next = new Set(chosen);
              if (checked) next.add(id);
              else next.delete(id);
              setChosen(next);
            }}
          />
        </div>
      </Modal>
    </>
  );
}

function leafOf(asset: ListedAsset): Branch {
  return {
    key: `${ASSET}${asset.id}`,
    checkable: true,
    isLeaf: true,
    title: (
      <span>
        {asset.name} <span className="small tertiary">{asset.code}</span>
      </span>
    ),
  };
}

/** Organisations with what stands in them, assets after the organisations below. */
function branchesOf(
  nodes: readonly AssetTreeNode[],
  loaded: ReadonlyMap<number, readonly Branch[]>,
): Branch[] {
  const known = new Map<number, Branch>();
  const roots: Branch[] = [];
  for (const node of nodes) {
    const branch: Branch = {
      key: String(node.id),
      title: <NodeTitle node={node} />,
      checkable: false,
      isLeaf: node.assets === 0,
    };
    known.set(node.id, branch);
    const parent = node.parentId === null ? undefined : known.get(node.parentId);
    if (!parent) roots.push(branch);
    else if (node.assets > 0) parent.children = [...(parent.children ?? []), branch];
  }
  for (const [id, leaves] of loaded) {
    const branch = known.get(id);
    if (branch) branch.children = [...(branch.children ?? []), ...leaves];
  }
  return roots;
}

function NodeTitle({ node }: { node: AssetTreeNode }) {
  const { text } = useText();
  return (
    <span className="row">
      {node.name}
      <span className="small tertiary">{text('assets.picker.count', { count: node.assets })}</span>
      {node.level > 0 ? <LevelGlyph level={node.level as AlarmLevel} mode="solid" /> : null}
      {node.level === 0 && node.silent > 0 ? <UnknownGlyph /> : null}
    </span>
  );
}
