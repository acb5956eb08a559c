import '../settings.css';
import { type Menu, menuInput } from '@isotherm/contracts/menus';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmDialog } from '../../../shared/ui/confirm-dialog.tsx';
import { TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { SplitFrame } from '../split-frame.tsx';
import { MenuFields, menuFormOf, NEW_MENU } from './menu-fields.tsx';
import { type Place, placeOfStep } from './menu-order.ts';
import { MenuTree, menuName } from './menu-tree.tsx';
import { menusQuery, useMenuChanges } from './menus.queries.ts';
import { Operations } from './operations.tsx';

/**
 * Page of the menu settings: titles, order, hidden entries, external links, and the operations of each page.
 */
export default function MenuSettings() {
  const { text, language } = useText();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery(menusQuery);
  const changes = useMenuChanges();
  const mayEdit = usePermission('management-menus:edit');
  const [adding, setAdding] = useState(false);
  const made = useRef<number | null>(null);
  const open = data?.find(({ id }) => String(id) === params.get('menu')) ?? data?.[0];
  const move = (id: number, { parentId, position }: Place) =>
    void changes.move(id, parentId, position).catch(() => undefined);
  return (
    <div className="page">
      <PageHead title={text('menu.management-menus')} purpose={text('settings.menu.purpose')}>
        <PermissionButton
          variant="primary"
          permission="management-menus:edit"
          onClick={() => setAdding(true)}
        >
          <Icon name="plus" />
          {text('settings.menu.add')}
        </PermissionButton>
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <SplitFrame
          tree
          chosen={params.has('menu')}
          onBack={() => change({ menu: null })}
          list={
            <nav className="panel settings-list" aria-label={text('menu.management-menus')}>
              <MenuTree
                menus={data}
                open={open?.id}
                mayMove={mayEdit}
                onOpen={(id) => change({ menu: id }, 'push')}
                onMove={move}
              />
              {mayEdit ? <p className="form-help">{text('settings.menu.drag')}</p> : null}
            </nav>
          }
        >
          {open ? (
            <MenuEditor
              key={open.id}
              menu={open}
              menus={data}
              mayEdit={mayEdit}
              onMove={move}
              onGone={() => change({ menu: null })}
            />
          ) : null}
        </SplitFrame>
      ) : null}
      {adding ? (
        <FormDrawer
          wide
          title={text('settings.menu.add')}
          submitLabel={text('settings.menu.add')}
          schema={menuInput}
          initial={NEW_MENU}
          submit={async (values) => {
            made.current = (await changes.create({ ...values, parentId: values.parentId ?? null })).id;
          }}
          onClose={() => {
            setAdding(false);
            // The address is changed only after the form has closed, because the open drawer blocks changes
            // of the address.
            if (made.current !== null) change({ menu: made.current });
            made.current = null;
          }}
        >
          <FormSection>
            <TreeField
              name="parentId"
              label={text('settings.menu.parent')}
              clearable
              placeholder={text('settings.menu.top')}
              nodes={(data ?? []).map((menu) => ({
                id: menu.id,
                parentId: menu.parentId,
                name: menuName(menu, text, language),
                code: menu.name,
              }))}
              wide
            />
            <MenuFields name="" system={false} disabled={false} />
          </FormSection>
        </FormDrawer>
      ) : null}
    </div>
  );
}

function MenuEditor({
  menu,
  menus,
  mayEdit,
  onMove,
  onGone,
}: {
  menu: Menu;
  menus: readonly Menu[];
  mayEdit: boolean;
  onMove: (id: number, place: Place) => void;
  onGone: () => void;
}) {
  const { text, language } = useText();
  const changes = useMenuChanges();
  const [deleting, setDeleting] = useState(false);
  const name = menuName(menu, text, language);
  const step = (by: 1 | -1) => {
    const place = placeOfStep(menus, menu.id, by);
    return place ? () => onMove(menu.id, place) : null;
  };
  const [up, down] = [step(-1), step(1)];
  return (
    <section className="panel settings-editor">
      <h2>
        {name}
        {menu.system ? <span className="tag">{text('settings.system')}</span> : null}
        {mayEdit ? (
          <span className="row end cell-tools">
            <Button
              size="small"
              icon
              aria-label={text('settings.move-up', { name })}
              disabled={!up}
              onClick={() => up?.()}
            >
              <Icon name="arrow-up" />
            </Button>
            <Button
              size="small"
              icon
              aria-label={text('settings.move-down', { name })}
              disabled={!down}
              onClick={() => down?.()}
            >
              <Icon name="arrow-down" />
            </Button>
          </span>
        ) : null}
      </h2>
      <FormPanel
        schema={menuInput}
        initial={menuFormOf(menu)}
        submit={async (values) => {
          await changes.edit(menu.id, values);
          toast('success', text('settings.saved'));
        }}
        submitLabel={text('settings.save')}
      >
        <MenuFields name={menu.name} system={menu.system} disabled={!mayEdit} />
      </FormPanel>
      {menu.system || !mayEdit ? null : (
        <Button variant="quiet" className="settings-delete" onClick={() => setDeleting(true)}>
          <Icon name="bin" />
          {text('settings.delete')}
        </Button>
      )}
      <Operations menu={menu} mayEdit={mayEdit} />
      {deleting ? (
        <ConfirmDialog
          title={text('settings.menu.delete-title', { name })}
          confirmLabel={text('settings.delete')}
          grave
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await changes.remove(menu.id);
            setDeleting(false);
            onGone();
          }}
        >
          {text('settings.menu.delete-reason')}
        </ConfirmDialog>
      ) : null}
    </section>
  );
}
