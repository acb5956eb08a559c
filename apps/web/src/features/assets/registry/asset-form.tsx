import { type AssetRecord, assetForms, type createAsset } from '@isotherm/contracts/asset-registry';
import type { BodyOf } from '@isotherm/contracts/route';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import { ASSET_FIELD_WORDS } from '@isotherm/i18n/asset-field-words';
import { textId } from '@isotherm/i18n/text-id';
import { useState } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { ApiError } from '../../../shared/api/api-error.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useEditConflict } from '../../../shared/ui/edit-conflict.tsx';
import { SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection, InputDiscarded } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { changedFields, formValuesOf, sectionsOf, typesOf, unitOfField } from './asset-fields.ts';
import { useConflictRows } from './conflict-rows.ts';
import { readRecord, useRegistryChanges } from './registry.queries.ts';

type Values = BodyOf<typeof createAsset>;
const FAULT_FIELDS = { 'asset.code_taken': 'code', 'asset.in_use': 'organizationId' };

/** Form that creates an asset. */
export function AssetCreateForm({ kind, onClose }: { kind: AssetKind; onClose: () => void }) {
  const { text } = useText();
  const changes = useRegistryChanges();
  return (
    <FormDrawer
      wide
      title={text(`assets.create.${kind}`)}
      submitLabel={text(`assets.create.${kind}`)}
      schema={assetForms[kind]}
      initial={{ kind } as never}
      submit={async (values) => {
        const { name } = await changes.create(values as Values);
        toast('success', text('assets.create.done', { name }));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <Fields kind={kind} fresh />
    </FormDrawer>
  );
}

/**
 * Form that edits an asset. If someone else saved the asset in the meantime, the user sees the differences
 * and chooses.
 */
export function AssetEditForm({ record: newest, onClose }: { record: AssetRecord; onClose: () => void }) {
  const { text } = useText();
  // The version of the record that is being edited. If a newer version is loaded during the edit, there is a
  // conflict.
  const [record] = useState(newest);
  const changes = useRegistryChanges();
  const rowsOf = useConflictRows();
  const { choose, conflictDialog } = useEditConflict();

  async function save(version: number, values: Values): Promise<void> {
    try {
      const { name } = await changes.edit(record.id, version, values);
      toast('success', text('assets.edit.done', { name }));
    } catch (error) {
      if (!isChanged(error)) throw error;
      const stored = await readRecord(record.id);
      const typed = values as Record<string, unknown>;
      const mine = changedFields(formValuesOf(record), typed);
      const choice = await choose({ rows: rowsOf(stored, typed, mine) });
      if (choice === 'discard') throw new InputDiscarded();
      if (choice === 'back') throw error;
      return save(stored.version, { ...formValuesOf(stored), ...pick(values, mine) } as Values);
    }
  }

  return (
    <>
      <FormDrawer
        wide
        title={text('assets.edit.title', { name: record.name })}
        submitLabel={text('common.action.save')}
        schema={assetForms[record.kind]}
        initial={formValuesOf(record) as never}
        submit={(values) => save(record.version, values as Values)}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <Fields kind={record.kind} />
      </FormDrawer>
      {conflictDialog}
    </>
  );
}

function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'asset.changed';
}

function pick(values: object, names: readonly string[]): Record<string, unknown> {
  // A field that the user cleared stays empty, even if the other editor entered a value.
  return Object.fromEntries(names.map((name) => [name, (values as Record<string, unknown>)[name]]));
}

function Fields({ kind, fresh = false }: { kind: AssetKind; fresh?: boolean }) {
  const { text } = useText();
  return sectionsOf(kind).map(({ title, fields }) => (
    <FormSection key={title} title={text(title)}>
      {fields.map(({ name, control, help }) => {
        const props = { name, label: text(ASSET_FIELD_WORDS[name]), ...(help ? { help: text(help) } : {}) };
        const unit = unitOfField(name, kind);
        switch (control) {
          case 'text':
            return <TextField key={name} {...props} />;
          case 'number':
            return <NumberField key={name} {...props} {...(unit ? { unit } : {})} />;
          case 'switch':
            return <SwitchField key={name} {...props} />;
          case 'type': {
            const options = typesOf(kind).map((type) => ({
              value: type,
              label: text(textId(`assets.type.${type}`)),
            }));
            return <SelectField key={name} {...props} options={options} />;
          }
          case 'zone':
            // A new asset gets the time zone of its organisation.
            return fresh ? null : <ZoneField key={name} {...props} />;
          case 'organization':
            return <OrganizationField key={name} {...props} />;
          default:
            return control satisfies never;
        }
      })}
    </FormSection>
  ));
}
