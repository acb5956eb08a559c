import AntTreeSelect from 'antd/es/tree-select';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { isTab, KeyFrame } from '../form/key-frame.tsx';
import { indexTree, type TreeNode } from './tree-index.ts';

const MOST_FOUND = 100;

interface Branch {
  value: number;
  /** Text that the closed control shows for a node. */
  name: string;
  title: React.ReactNode;
  disabled: boolean;
  isLeaf: boolean;
  children?: Branch[];
}

/**
 * Control that selects a node of a tree by name or code. Only expanded branches are rendered, so that 20,000
 * nodes are as fast as twenty.
 */
export function TreeSelect({
  nodes,
  loading = false,
  value,
  onChange,
  without,
  clearable = false,
  placeholder,
  className = 'form-select',
  id: givenId,
  ...rest
}: {
  nodes: readonly TreeNode[];
  loading?: boolean;
  value: number | undefined;
  onChange: (id: number | undefined) => void;
  /** Nodes that cannot be selected, such as the subtree being moved. */
  without?: ReadonlySet<number> | undefined;
  clearable?: boolean;
  placeholder?: string | undefined;
  disabled?: boolean;
  id?: string;
  status?: 'error';
  className?: string;
  'aria-label'?: string;
  'aria-invalid'?: boolean;
  'aria-describedby'?: string | undefined;
  'aria-required'?: boolean;
}) {
  const { text } = useText();
  const ownId = useId();
  const id = givenId ?? ownId;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [expanded, setExpanded] = useState<readonly number[]>([]);
  const [marked, setMarked] = useState(false);
  const index = useMemo(() => indexTree(nodes), [nodes]);
  const search = (next: string) => {
    setTyped(next);
    setMarked(false);
  };

  const branches = useMemo(() => {
    const leaf = (node: TreeNode, title: React.ReactNode = node.name): Branch => ({
      value: node.id,
      name: node.name,
      title,
      disabled: without?.has(node.id) ?? false,
      isLeaf: true,
    });
    const chosen = value === undefined ? undefined : index.get(value);
    // The closed control needs only the name of the selected node.
    if (!open) return chosen ? [leaf(chosen)] : [];
    if (typed.trim() !== '') {
      return index.search(typed, MOST_FOUND).map((node) => {
        const above = index.ancestorsOf(node.id).map(({ name }) => name);
        return leaf(
          node,
          <span>
            {node.name} <span className="small tertiary">{above.join(' / ')}</span>
          </span>,
        );
      });
    }
    // The path to the selected node is always included; otherwise the control would display the id of the
    // node.
    const way = chosen ? index.ancestorsOf(chosen.id).map((node) => node.id) : [];
    const opened = new Set([...expanded, ...way]);
    const branch = (node: TreeNode): Branch => {
      const below = index.childrenOf(node.id);
      if (below.length === 0) return leaf(node);
      return {
        ...leaf(node),
        isLeaf: false,
        ...(opened.has(node.id) ? { children: below.map(branch) } : {}),
      };
    };
    return index.roots.map(branch);
  }, [index, open, typed, expanded, value, without]);

  /** Enter selects the first match, unless the arrow keys have marked another. */
  function take(event: KeyboardEvent): boolean {
    if (isTab(event)) return true;
    if (event.key.startsWith('Arrow')) setMarked(true);
    // Enter selects, and must not submit the form as well.
    if (event.key === 'Enter') event.preventDefault();
    if (event.key !== 'Enter' || marked || typed.trim() === '') return false;
    const first = index.search(typed, MOST_FOUND).find((node) => !without?.has(node.id));
    if (!first) return false;
    onChange(first.id);
    turn(false);
    return true;
  }

  function turn(next: boolean) {
    setOpen(next);
    if (!next) setTyped('');
    if (!next || expanded.length > 0) return;
    const way = value === undefined ? [] : index.ancestorsOf(value).map((node) => node.id);
    setExpanded([...new Set([...way, ...index.roots.map((node) => node.id)])]);
  }

  return (
    <KeyFrame take={take}>
      <AntTreeSelect<number | null>
        {...rest}
        open={open}
        id={id}
        className={className}
        treeNodeLabelProp="name"
        treeData={branches}
        // While the name is loading, no value is passed, so that the id is not displayed.
        value={value !== undefined && index.get(value) ? value : null}
        treeExpandedKeys={[...expanded]}
        onTreeExpand={(keys) => setExpanded(keys.map(Number))}
        allowClear={clearable}
        loading={loading}
        placeholder={placeholder}
        showSearch={{ filterTreeNode: false, searchValue: typed, onSearch: search }}
        popupMatchSelectWidth={false}
        // The combobox refers to this list by its id (WCAG 4.1.2), which antd does not set.
        popupRender={(list) => <div id={`${id}_list`}>{list}</div>}
        listHeight={320}
        notFoundContent={text(loading ? 'common.loading' : 'common.list.no-match')}
        onOpenChange={turn}
        onChange={(next) => onChange(next ?? undefined)}
      />
    </KeyFrame>
  );
}
