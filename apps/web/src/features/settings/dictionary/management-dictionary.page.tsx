import '../settings.css';
import { createDictionary, type Dictionary, editDictionary } from '@isotherm/contracts/dictionary';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { SplitFrame } from '../split-frame.tsx';
import { TitlesField, titleIn } from '../titles-field.tsx';
import { dictionariesQuery, useDictionaryChanges } from './dictionary.queries.ts';
import { ItemsField } from './items-field.tsx';

/** Page of the dictionaries: the choices of select fields, in four languages. */
export default function DictionarySettings() {
  const { text, language } = useText();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery(dictionariesQuery);
  const changes = useDictionaryChanges();
  const [adding, setAdding] = useState(false);
  const made = useRef<string | null>(null);
  const search = (params.get('q') ?? '').toLowerCase();
  const shown = (data ?? []).filter((each) =>
    [each.code, ...Object.values(each.titles)].some((word) => word?.toLowerCase().includes(search)),
  );
  const open = data?.find(({ code }) => code === params.get('dictionary')) ?? shown[0];
  return (
    <div className="page">
      <PageHead title={text('menu.management-dictionary')} purpose={text('settings.dictionary.purpose')}>
        <PermissionButton
          variant="primary"
          permission="management-dictionary:edit"
          onClick={() => setAdding(true)}
        >
          <Icon name="plus" />
          {text('settings.dictionary.add')}
        </PermissionButton>
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <SplitFrame
          chosen={params.has('dictionary')}
          onBack={() => change({ dictionary: null })}
          list={
            <nav className="panel settings-list" aria-label={text('menu.management-dictionary')}>
              <FilterBox
                value={params.get('q') ?? ''}
                placeholder={text('settings.dictionary.search')}
                onChange={(q) => change({ q })}
              />
              {shown.map((each) => (
                <button
                  key={each.id}
                  type="button"
                  className="settings-entry"
                  aria-current={each === open ? 'true' : undefined}
                  onClick={() => change({ dictionary: each.code }, 'push')}
                >
                  <strong className="ellipsis">{titleIn(each.titles, language, each.code)}</strong>
                  <span className="small tertiary ellipsis">
                    {each.code} · {text('settings.dictionary.count', { count: each.items.length })}
                  </span>
                </button>
              ))}
            </nav>
          }
        >
          {open ? (
            <DictionaryEditor
              key={`${open.id}:${JSON.stringify(open.items)}`}
              dictionary={open}
              onGone={() => change({ dictionary: null })}
            />
          ) : (
            <Notice icon="page" title={text('settings.dictionary.empty')} />
          )}
        </SplitFrame>
      ) : null}
      {adding ? (
        <FormDrawer
          title={text('settings.dictionary.add')}
          submitLabel={text('settings.dictionary.add')}
          schema={createDictionary.body}
          initial={{ code: '', titles: {}, description: '' }}
          submit={async (values) => {
            made.current = (await changes.create(values)).code;
          }}
          onClose={() => {
            setAdding(false);
            // The address is changed only after the form has closed, because the open drawer blocks changes
            // of the address.
            if (made.current !== null) change({ dictionary: made.current });
            made.current = null;
          }}
        >
          <FormSection>
            <TextField
              name="code"
              label={text('settings.dictionary.code')}
              help={text('settings.dictionary.code-help')}
              wide
            />
            <TitlesField name="titles" label={text('settings.titles')} />
            <TextAreaField name="description" label={text('settings.description')} />
          </FormSection>
        </FormDrawer>
      ) : null}
    </div>
  );
}

function DictionaryEditor({ dictionary, onGone }: { dictionary: Dictionary; onGone: () => void }) {
  const { text } = useText();
  const changes = useDictionaryChanges();
  const disabled = !usePermission('management-dictionary:edit');
  const [deleting, setDeleting] = useState(false);
  return (
    <section className="panel settings-editor">
      <h2>
        {dictionary.code}
        {dictionary.system ? <span className="tag">{text('settings.system')}</span> : null}
      </h2>
      <FormPanel
        schema={editDictionary.body}
        initial={{
          titles: dictionary.titles,
          description: dictionary.description,
          items: dictionary.items.map(({ value, titles, enabled }) => ({ value, titles, enabled })),
        }}
        submit={async (values) => {
          await changes.edit(dictionary.id, values);
          toast('success', text('settings.saved'));
        }}
        submitLabel={text('settings.save')}
      >
        <TitlesField name="titles" label={text('settings.titles')} disabled={disabled} />
        <TextAreaField name="description" label={text('settings.description')} disabled={disabled} rows={2} />
        <ItemsField
          name="items"
          disabled={disabled}
          system={new Set(dictionary.items.filter(({ system }) => system).map(({ value }) => value))}
        />
      </FormPanel>
      {dictionary.system ? null : (
        <PermissionButton
          variant="quiet"
          className="settings-delete"
          permission="management-dictionary:edit"
          onClick={() => setDeleting(true)}
        >
          <Icon name="bin" />
          {text('settings.dictionary.delete')}
        </PermissionButton>
      )}
      {deleting ? (
        <ConfirmWithReason
          weight="plain"
          grave
          title={text('settings.dictionary.delete-title', { code: dictionary.code })}
          confirmLabel={text('settings.dictionary.delete')}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await changes.remove(dictionary.id);
            onGone();
          }}
        >
          {text('settings.dictionary.delete-reason')}
        </ConfirmWithReason>
      ) : null}
    </section>
  );
}
