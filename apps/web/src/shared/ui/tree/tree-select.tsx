import AntTreeSelect from 'antd/es/tree-select';
import { useMemo, useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { indexTree, type TreeNode } from './tree-index.ts';

const MOST_FOUND = 100;

interface Branch {
  value: number;
  title: React.ReactNode;
  /** What the closed box shows. */
  name: string;
  disabled: boolean;
  children?: Branch[];
}

/** Chooses one node of a tree; searchable by name and code, usable with 20,000 nodes. */
export function TreeSelect({
  nodes,
  loading = false,
  value,
  onChange,
  without,
  clearable = false,
  placeholder,
  className = 'form-select',
  ...rest
}: {
  nodes: readonly TreeNode[];
  loading?: boolean;
  value: number | undefined;
  onChange: (id: number | undefined) => void;
  /** Nodes that may not be chosen, such as the subtree that is being moved. */
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
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const index = useMemo(() => indexTree(nodes), [nodes]);

  const branches = useMemo(() => {
    const chosen = value === undefined ? undefined : index.get(value);
    const leaf = (node: TreeNode): Branch => ({
      value: node.id,
      name: node.name,
      disabled: without?.has(node.id) ?? false,
      title: node.name,
    });
    // A closed box needs its own name only.
    if (!open) return chosen ? [leaf(chosen)] : [];
    if (typed.trim() !== '') {
      return index.search(typed, MOST_FOUND).map((node) => ({
        ...leaf(node),
        title: (
          <span>
            {node.name}{' '}
            <span className="small tertiary">
              {index
                .ancestorsOf(node.id)
                .map(({ name }) => name)
                .join(' / ')}
            </span>
          </span>
        ),
      }));
    }
    const branch = (node: TreeNode): Branch => {
      const below = index.childrenOf(node.id);
      return below.length === 0 ? leaf(node) : { ...leaf(node), children: below.map(branch) };
    };
    return index.roots.map(branch);
  }, [index, open, typed, value, without]);

  const openedFirst = useMemo(() => {
    const path = value === undefined ? [] : index.ancestorsOf(value).map(({ id }) => id);
    return [...new Set([...path, ...index.roots.map(({ id }) => id)])];
  }, [index, value]);

  return (
    <AntTreeSelect<number>
      {...rest}
      className={className}
      treeData={branches}
      {...(value === undefined ? {} : { value })}
      treeNodeLabelProp="name"
      treeDefaultExpandedKeys={openedFirst}
      key={nodes.length === 0 ? 'loading' : 'loaded'}
      allowClear={clearable}
      loading={loading}
      placeholder={placeholder}
      showSearch={{ filterTreeNode: false, searchValue: typed, onSearch: setTyped }}
      popupMatchSelectWidth={false}
      listHeight={320}
      notFoundContent={text(loading ? 'common.loading' : 'common.list.no-match')}
      onOpenChange={(next) => {
        setOpen(next);
        if (!next) setTyped('');
      }}
      onChange={(next?: number) => onChange(next)}
    />
  );
}
