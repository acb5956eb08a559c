import './roles.css';
import type { OperationTree } from '@isotherm/contracts/operations';
import { textId } from '@isotherm/i18n/text-id';
import Tree from 'antd/es/tree';
import { useMemo, useState } from 'react';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { type Branch, filterBranches, keysOf, partsOf } from './filter-branches.ts';
import { codesOf, isPage, settleChoice } from './permission-choice.ts';

/** Returns the title that an operator has set, otherwise the title from the catalogue, otherwise the code. */
function titleOf(node: OperationTree, language: string, text: Text): string {
  return node.titles?.[language] || text(textId(node.title));
}

function toBranch(node: OperationTree, language: string, text: Text): Branch {
  return {
    key: node.key,
    title: titleOf(node, language, text),
    disableCheckbox: !isPage(node) && !node.grantable,
    ...(node.children ? { children: node.children.map((child) => toBranch(child, language, text)) } : {}),
  };
}

/**
 * Tree of pages and operations with check boxes. Permissions that the user lacks cannot be granted
 * (`role.escalation`).
 */
export function PermissionTreeField({
  name,
  tree,
  help,
}: {
  name: string;
  tree: readonly OperationTree[];
  /** Returns the help text for the number of selected permissions. */
  help: (count: number) => string;
}) {
  const { text, language } = useText();
  const { value, set, fault } = useField<string[]>(name);
  const [search, setSearch] = useState('');
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const held = value ?? [];
  const branches = useMemo(() => tree.map((node) => toBranch(node, language, text)), [tree, language, text]);
  const known = useMemo(() => new Set(codesOf(tree)), [tree]);
  const searching = search.trim() !== '';
  const found = useMemo(() => filterBranches(branches, search), [branches, search]);
  const shown = searching ? found.branches : branches;
  const keys = useMemo(() => keysOf(branches), [branches]);
  const inSight = useMemo(() => new Set(keysOf(shown)), [shown]);
  return (
    <div className="form-field form-wide">
      <div className="permission-search">
        <FilterBox value={search} placeholder={text('roles.permissions.search')} onChange={setSearch} />
        <span className="small tertiary" aria-live="polite">
          {searching ? text('roles.permissions.found', { count: found.hits }) : ''}
        </span>
      </div>
      <div className="permission-tree">
        {shown.length === 0 ? <Notice icon="search" title={text('common.list.no-match')} /> : null}
        <Tree<Branch>
          checkable
          selectable={false}
          // Search results appear without an animation.
          motion={false}
          expandedKeys={searching ? keys : keys.filter((key) => !closed.has(key))}
          onExpand={(open) => {
            if (!searching) setClosed(new Set(keys.filter((key) => !open.includes(key))));
          }}
          treeData={shown}
          checkedKeys={held.filter((code) => known.has(code) && inSight.has(code))}
          onCheck={(checked) => {
            const chosen = (Array.isArray(checked) ? checked : checked.checked).map(String);
            // Permissions that the search hides or the tree does not contain are kept.
            const hidden = held.filter((code) => known.has(code) && !inSight.has(code));
            const unseen = held.filter((code) => !known.has(code));
            const codes = new Set([...hidden, ...chosen.filter((key) => known.has(key))]);
            set([...unseen, ...settleChoice(new Set(held), codes, known)].sort());
          }}
          titleRender={(branch) => (
            <span>
              <Marked title={branch.title} typed={searching ? search : ''} />
              {branch.disableCheckbox ? (
                <span className="small tertiary"> {text('roles.not-held')}</span>
              ) : null}
            </span>
          )}
        />
      </div>
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : (
        <div className="form-help">{help(held.length)}</div>
      )}
    </div>
  );
}

function Marked({ title, typed }: { title: string; typed: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a title have no other name than their place.
  return partsOf(title, typed).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part));
}

/** Read-only list of permissions by page. */
export function PermissionSummary({
  tree,
  held,
}: {
  tree: readonly OperationTree[];
  held: readonly string[];
}) {
  const { text, language } = useText();
  const codes = new Set(held);
  const rows = pagesWith(tree, codes);
  if (rows.length === 0) return <p className="role-note">{text('roles.permissions.none')}</p>;
  return (
    <dl className="permission-summary">
      {rows.map(({ page, operations }) => (
        <div key={page.key}>
          <dt>{titleOf(page, language, text)}</dt>
          <dd>
            {operations.map((operation) => (
              <span key={operation.key} className="tag">
                {titleOf(operation, language, text)}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function pagesWith(
  tree: readonly OperationTree[],
  held: ReadonlySet<string>,
): { page: OperationTree; operations: OperationTree[] }[] {
  return tree.filter(isPage).flatMap((page) => {
    const operations = page.children?.filter((child) => !isPage(child) && held.has(child.key)) ?? [];
    return [
      ...(operations.length > 0 ? [{ page, operations }] : []),
      ...pagesWith(page.children ?? [], held),
    ];
  });
}
