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
  /** Why it cannot be given. */
  beyond: boolean;
  children?: Branch[];
}

/** What an operator wrote, else the catalogue's words; what is in no catalogue stands as it is. */
function titleOf(node: OperationTree, language: string, text: Text): string {
  return node.titles?.[language] || text(node.title);
}

function toBranch(node: OperationTree, readOnly: boolean, language: string, text: Text): Branch {
  return {
    key: node.key,
    title: titleOf(node, language, text),
    disableCheckbox: readOnly || (!isPage(node) && !node.grantable),
    beyond: !isPage(node) && !node.grantable,
    ...(node.children
      ? { children: node.children.map((child) => toBranch(child, readOnly, language, text)) }
      : {}),
  };
}

/** Pages and operations with check boxes; nobody gives away what they do not hold (`role.escalation`). */
export function PermissionTree({
  tree,
  held,
  onChange,
}: {
  tree: readonly OperationTree[];
  held: readonly string[];
  /** Absent where it is only shown. */
  onChange?: (held: string[]) => void;
}) {
  const { text, language } = useText();
  const readOnly = onChange === undefined;
  const branches = useMemo(
    () => tree.map((node) => toBranch(node, readOnly, language, text)),
    [tree, readOnly, language, text],
  );
  const known = useMemo(() => new Set(codesOf(tree)), [tree]);
  return (
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
          onChange?.([...unseen, ...settleChoice(new Set(held), codes, known)].sort());
        }}
        titleRender={(branch) => (
          <span>
            {branch.title}
            {branch.beyond && !readOnly ? (
              <span className="small tertiary"> {text('roles.not-held')}</span>
            ) : null}
          </span>
        )}
      />
    </div>
  );
}

/** The tree as a field of a form. */
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
  const { value, set, fault } = useField<string[]>(name);
  return (
    <div className="form-field form-wide">
      <PermissionTree tree={tree} held={value ?? []} onChange={set} />
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : (
        <div className="form-help">{help(value?.length ?? 0)}</div>
      )}
    </div>
  );
}
