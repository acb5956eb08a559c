import './roles.css';
import type { OperationTree } from '@isotherm/contracts/operations';
import Tree from 'antd/es/tree';
import { useMemo } from 'react';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { codesOf, isPage, settleChoice } from './permission-choice.ts';

interface Branch {
  key: string;
  title: string;
  disableCheckbox: boolean;
  children?: Branch[];
}

/** What an operator wrote, else the catalogue's words; what is in no catalogue stands as it is. */
function titleOf(node: OperationTree, language: string, text: Text): string {
  return node.titles?.[language] || text(node.title);
}

function toBranch(node: OperationTree, language: string, text: Text): Branch {
  return {
    key: node.key,
    title: titleOf(node, language, text),
    disableCheckbox: !isPage(node) && !node.grantable,
    ...(node.children ? { children: node.children.map((child) => toBranch(child, language, text)) } : {}),
  };
}

/** Pages and operations with check boxes; nobody gives away what they do not hold (`role.escalation`). */
export function PermissionTreeField({
  name,
  tree,
  help,
}: {
  name: string;
  tree: readonly OperationTree[];
  /** What the number of chosen ones means. */
  help: (count: number) => string;
}) {
  const { text, language } = useText();
  const { value, set, fault } = useField<string[]>(name);
  const held = value ?? [];
  const branches = useMemo(() => tree.map((node) => toBranch(node, language, text)), [tree, language, text]);
  const known = useMemo(() => new Set(codesOf(tree)), [tree]);
  return (
    <div className="form-field form-wide">
      <div className="permission-tree">
        <Tree<Branch>
          checkable
          selectable={false}
          defaultExpandAll
          treeData={branches}
          checkedKeys={held.filter((code) => known.has(code))}
          onCheck={(checked) => {
            const keys = (Array.isArray(checked) ? checked : checked.checked).map(String);
            const codes = new Set(keys.filter((key) => known.has(key)));
            // What the tree does not show is not lost by a choice in it.
            const unseen = held.filter((code) => !known.has(code));
            set([...unseen, ...settleChoice(new Set(held), codes, known)].sort());
          }}
          titleRender={(branch) => (
            <span>
              {branch.title}
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

/** What is held, page by page: to read, not to choose. */
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
