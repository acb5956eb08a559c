import './roles.css';
import type { OperationTree } from '@isotherm/contracts/operations';
import { PERMISSIONS } from '@isotherm/domain/access/permissions';
import Tree from 'antd/es/tree';
import { useMemo } from 'react';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { codesOf, isPage, settleChoice } from './permission-choice.ts';

const CATALOGUE: ReadonlySet<string> = new Set(PERMISSIONS);

interface Branch {
  key: string;
  title: string;
  disableCheckbox: boolean;
  /** Why it cannot be given. */
  beyond: boolean;
  children?: Branch[];
}

function titleOf(node: OperationTree, language: string, text: Text): string {
  const written = node.titles?.[language];
  if (written) return written;
  // Under its page an operation of the program needs its verb only.
  if (CATALOGUE.has(node.key)) return text(`roles.action.${node.key.slice(node.key.indexOf(':') + 1)}`);
  return text(node.title);
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
export function PermissionTreeField({ name, tree }: { name: string; tree: readonly OperationTree[] }) {
  const { text } = useText();
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
        <div className="form-help">{text('roles.permissions.help', { count: value?.length ?? 0 })}</div>
      )}
    </div>
  );
}
