import type { Menu } from '@isotherm/contracts/menus';
import { createOperation, type Operation } from '@isotherm/contracts/operations';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmDialog } from '../../../shared/ui/confirm-dialog.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { operationsQuery, useOperationChanges } from './menus.queries.ts';

/**
 * List of the operations of a page: the permission codes that roles can have (requirements §3, operation).
 */
export function Operations({ menu, mayEdit }: { menu: Menu; mayEdit: boolean }) {
  const { text } = useText();
  const { data } = useQuery(operationsQuery(menu.id));
  const changes = useOperationChanges();
  const [edited, setEdited] = useState<Operation | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Operation | null>(null);
  const one = edited === 'new' ? null : edited;
  return (
    <section className="operations">
      <div className="operations-head">
        <h3>{text('settings.operation.title')}</h3>
        <span className="secondary">{data?.length ?? ''}</span>
        {mayEdit ? (
          <Button size="small" className="end" onClick={() => setEdited('new')}>
            <Icon name="plus" />
            {text('settings.operation.add')}
          </Button>
        ) : null}
      </div>
      {data && data.length === 0 ? <p className="secondary">{text('settings.operation.none')}</p> : null}
      {data && data.length > 0 ? (
        <TableFrame label={text('settings.operation.title')}>
          <thead>
            <tr>
              <th scope="col">{text('settings.operation.code')}</th>
              <th scope="col">{text('settings.operation.fullname')}</th>
              <th scope="col">{text('settings.operation.english')}</th>
              <th scope="col">{text('settings.operation.spanish')}</th>
              <th scope="col">{text('settings.operation.order')}</th>
              <th scope="col">
                <span className="visually-hidden">{text('settings.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((operation) => (
              <tr key={operation.id} title={operation.description || undefined}>
                <td>
                  <code>{operation.code}</code>
                </td>
                <td>{operation.fullname}</td>
                <td>{operation.nameEnglish}</td>
                <td>{operation.nameSpanish}</td>
                <td className="number">{operation.sortcode}</td>
                <td>
                  {mayEdit ? (
                    <span className="row cell-tools">
                      <Button
                        variant="quiet"
                        size="small"
                        icon
                        aria-label={text('settings.edit-named', { name: operation.code })}
                        onClick={() => setEdited(operation)}
                      >
                        <Icon name="edit" />
                      </Button>
                      <Button
                        variant="quiet"
                        size="small"
                        icon
                        aria-label={text('settings.remove-named', { name: operation.code })}
                        disabled={operation.system}
                        onClick={() => setDeleted(operation)}
                      >
                        <Icon name="bin" />
                      </Button>
                    </span>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      ) : null}
      {edited ? (
        <FormDrawer
          title={text(one ? 'settings.operation.edit' : 'settings.operation.add')}
          submitLabel={text('settings.save')}
          schema={createOperation.body}
          initial={
            one
              ? {
                  code: one.code,
                  fullname: one.fullname,
                  nameEnglish: one.nameEnglish,
                  nameSpanish: one.nameSpanish,
                  sortcode: one.sortcode,
                  description: one.description,
                }
              : { code: `${menu.name}:`, fullname: '', nameEnglish: '', nameSpanish: '', sortcode: 0 }
          }
          submit={(values) =>
            one ? changes.edit(one.id, { menuid: one.menuid, ...values }) : changes.create(menu.id, values)
          }
          onClose={() => setEdited(null)}
        >
          <FormSection>
            <TextField
              name="code"
              label={text('settings.operation.code')}
              disabled={one?.system ?? false}
              wide
            />
            <TextField name="fullname" label={text('settings.operation.fullname')} />
            <NumberField name="sortcode" label={text('settings.operation.order')} step={1} />
            <TextField name="nameEnglish" label={text('settings.operation.english')} />
            <TextField name="nameSpanish" label={text('settings.operation.spanish')} />
            <TextAreaField name="description" label={text('settings.description')} />
          </FormSection>
        </FormDrawer>
      ) : null}
      {deleted ? (
        <ConfirmDialog
          title={text('settings.operation.delete-title', { code: deleted.code })}
          confirmLabel={text('settings.delete')}
          grave
          onClose={() => setDeleted(null)}
          onConfirm={async () => {
            await changes.remove(deleted.id);
            setDeleted(null);
          }}
        >
          {text('settings.operation.delete-reason')}
        </ConfirmDialog>
      ) : null}
    </section>
  );
}
