import '../settings.css';
import type { Brand } from '@isotherm/contracts/brands';
import { ENVIRONMENTS } from '@isotherm/contracts/settings';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmDialog } from '../../../shared/ui/confirm-dialog.tsx';
import { SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { SplitFrame } from '../split-frame.tsx';
import { type BrandForm, bodyOf, brandForm, formOf, NEW_BRAND } from './brand-form.ts';
import { BrandPreview } from './brand-preview.tsx';
import { brandsQuery, useBrandChanges } from './brands.queries.ts';
import { LogoField } from './logo-field.tsx';

const NEW = 'new';

/** Returns host and environment of a brand as text, the more specific one first. */
function placeOf(brand: Brand, text: Text): string {
  if (brand.fallback) return text('settings.brand.fallback');
  return [brand.environment, brand.host].filter(Boolean).join(' · ') || text('settings.brand.everywhere');
}

/** Page for white label settings: name and appearance per environment and host (requirements §1). */
export default function WebsiteSettings() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery(brandsQuery);
  const wanted = params.get('brand');
  const brand = data?.find(({ id }) => String(id) === wanted) ?? (wanted === NEW ? null : data?.[0]);
  return (
    <div className="page">
      <PageHead title={text('menu.setting-website')} purpose={text('settings.brand.purpose')}>
        <PermissionButton
          variant="primary"
          permission="setting-website:edit"
          onClick={() => change({ brand: NEW }, 'push')}
        >
          <Icon name="plus" />
          {text('settings.brand.add')}
        </PermissionButton>
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <SplitFrame
          chosen={wanted !== null}
          onBack={() => change({ brand: null })}
          list={
            <nav className="panel settings-list" aria-label={text('settings.brand.list')}>
              {data.map((each) => (
                <button
                  key={each.id}
                  type="button"
                  className="settings-entry"
                  aria-current={each === brand ? 'true' : undefined}
                  onClick={() => change({ brand: each.id }, 'push')}
                >
                  <strong className="ellipsis">{each.title}</strong>
                  <span className="small tertiary ellipsis">{placeOf(each, text)}</span>
                </button>
              ))}
              {wanted === NEW ? (
                <span className="settings-entry" aria-current="true">
                  <strong>{text('settings.brand.new')}</strong>
                </span>
              ) : null}
            </nav>
          }
        >
          <BrandEditor
            key={brand ? `${brand.id}@${brand.updatedAt}` : NEW}
            brand={brand ?? null}
            onMade={(id) => change({ brand: id })}
            onGone={() => change({ brand: null })}
          />
        </SplitFrame>
      ) : null}
    </div>
  );
}

function BrandEditor({
  brand,
  onMade,
  onGone,
}: {
  brand: Brand | null;
  onMade: (id: number) => void;
  onGone: () => void;
}) {
  const { text } = useText();
  const changes = useBrandChanges();
  const mayEdit = usePermission('setting-website:edit');
  const [deleting, setDeleting] = useState(false);

  async function save(form: BrandForm) {
    const body = bodyOf(form);
    const saved = brand ? await changes.edit(brand.id, body) : await changes.create(body);
    toast('success', text('settings.saved'));
    if (!brand) onMade(saved.id);
  }
  const disabled = !mayEdit;
  return (
    <section className="panel settings-editor">
      <FormPanel
        schema={brandForm}
        initial={brand ? formOf(brand) : NEW_BRAND}
        submit={save}
        submitLabel={text(brand ? 'settings.save' : 'settings.brand.create')}
      >
        <BrandPreview brand={brand} />
        <SelectField
          name="environment"
          label={text('settings.brand.environment')}
          disabled={disabled || (brand?.fallback ?? false)}
          options={[
            { value: '', label: text('settings.brand.every-environment') },
            ...ENVIRONMENTS.map((value) => ({ value, label: value })),
          ]}
        />
        <TextField
          name="host"
          label={text('settings.brand.host')}
          disabled={disabled || (brand?.fallback ?? false)}
          help={text('settings.brand.host-help')}
          placeholder="scm.example.org"
        />
        <TextField name="title" label={text('settings.brand.title')} disabled={disabled} />
        <TextField
          name="collapsedTitle"
          label={text('settings.brand.collapsed-title')}
          disabled={disabled}
          help={text('settings.brand.collapsed-help')}
        />
        <TextField name="pageTitle" label={text('settings.brand.page-title')} disabled={disabled} />
        <TextField name="copyrightEntity" label={text('settings.brand.copyright')} disabled={disabled} />
        <TextField name="filing" label={text('settings.brand.filing')} disabled={disabled} />
        <TextField name="wechatAccount" label={text('settings.brand.wechat')} disabled={disabled} />
        <SwitchField name="showAppDownload" label={text('settings.brand.app')} disabled={disabled} />
        <TextField
          name="appDownloadUrl"
          label={text('settings.brand.app-url')}
          inputMode="url"
          disabled={disabled}
          placeholder="https://"
        />
        {brand ? (
          <>
            <LogoField brand={brand} place="login" />
            <LogoField brand={brand} place="menu" />
          </>
        ) : null}
        <TextAreaField name="supportNote" label={text('settings.brand.support')} disabled={disabled} />
      </FormPanel>
      {brand && !brand.fallback ? (
        <PermissionButton
          variant="quiet"
          className="settings-delete"
          permission="setting-website:edit"
          onClick={() => setDeleting(true)}
        >
          <Icon name="bin" />
          {text('settings.brand.delete')}
        </PermissionButton>
      ) : null}
      {deleting && brand ? (
        <ConfirmDialog
          title={text('settings.brand.delete-title', { title: brand.title })}
          confirmLabel={text('settings.brand.delete')}
          grave
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await changes.remove(brand.id);
            setDeleting(false);
            onGone();
          }}
        >
          {text('settings.brand.delete-reason')}
        </ConfirmDialog>
      ) : null}
    </section>
  );
}
