import { createOrganization, type Organization, organizationInput } from '@isotherm/contracts/organizations';
import { currentZone } from '@isotherm/contracts/time-zones';
import { mayStandBelow } from '@isotherm/domain/access/organization-tree';
import { ORGANIZATION_LEVELS, type OrganizationLevel } from '@isotherm/domain/access/roles';
import type { SignatureLevel } from '@isotherm/domain/access/signature';
import { useRef } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SignatureLevelSelect } from '../../../shared/signature/signature-level.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useOrganizationChanges } from './organizations.queries.ts';

const FAULT_FIELDS = { 'organization.code_taken': 'code', 'organization.level': 'level' };

/** Form that edits an organisation. */
export function OrganizationEditForm({
  organization,
  parentLevel,
  onClose,
}: {
  organization: Organization;
  /** Level of the parent; null at the top of the user's scope. */
  parentLevel: OrganizationLevel | null;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useOrganizationChanges();
  const { code, name, level, location, latitude, longitude, description, timeZone, signatureFromLevel } =
    organization;
  return (
    <FormDrawer
      wide
      title={text('organizations.edit.title', { name })}
      submitLabel={text('common.action.save')}
      schema={organizationInput}
      initial={{
        code,
        name,
        level,
        location,
        latitude,
        longitude,
        description,
        timeZone: currentZone(timeZone),
        signatureFromLevel,
      }}
      submit={async (values) => {
        await changes.edit(organization.id, values);
        toast('success', text('organizations.edit.done', { name: values.name }));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <Fields parentLevel={parentLevel} keep={level} />
    </FormDrawer>
  );
}

/** Form that creates an organisation below another one. */
export function OrganizationCreateForm({
  parent,
  onMade,
  onClose,
}: {
  parent: Organization;
  onMade: (id: number) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useOrganizationChanges();
  const made = useRef(0);
  const [level] = levelsBelow(parent.level);
  return (
    <FormDrawer
      wide
      title={text('organizations.create.title', { name: parent.name })}
      submitLabel={text('organizations.create')}
      schema={createOrganization.body}
      initial={{ parentId: parent.id, timeZone: currentZone(parent.timeZone), ...(level ? { level } : {}) }}
      submit={async (values) => {
        const { id, name } = await changes.create(values);
        made.current = id;
        toast('success', text('organizations.create.done', { name }));
      }}
      faultFields={FAULT_FIELDS}
      onDone={() => onMade(made.current)}
      onClose={onClose}
    >
      <Fields parentLevel={parent.level} />
    </FormDrawer>
  );
}

/** Returns the levels below the parent. The nearest one comes first, because it is the usual one. */
function levelsBelow(parent: OrganizationLevel | null): OrganizationLevel[] {
  const allowed = ORGANIZATION_LEVELS.filter((level) => mayStandBelow(level, parent));
  return allowed.toSorted((a, b) => Number(a === parent) - Number(b === parent));
}

function Fields({ parentLevel, keep }: { parentLevel: OrganizationLevel | null; keep?: OrganizationLevel }) {
  const { text } = useText();
  const levels = ORGANIZATION_LEVELS.filter((level) => level === keep || mayStandBelow(level, parentLevel));
  return (
    <>
      <FormSection title={text('organizations.section.identity')}>
        <TextField name="name" label={text('organizations.name')} />
        <TextField name="code" label={text('organizations.code')} help={text('organizations.code.help')} />
        <SelectField
          name="level"
          label={text('organizations.level')}
          options={levels.map((level) => ({ value: level, label: text(`organizations.level.${level}`) }))}
        />
        <ZoneField
          name="timeZone"
          label={text('organizations.time-zone')}
          help={text('organizations.time-zone.help')}
        />
      </FormSection>
      <FormSection title={text('organizations.section.alarms')}>
        <SignatureField />
      </FormSection>
      <FormSection title={text('organizations.section.place')}>
        <TextField name="location" label={text('organizations.location')} wide />
        <NumberField name="latitude" label={text('organizations.latitude')} unit="°" />
        <NumberField name="longitude" label={text('organizations.longitude')} unit="°" />
        <TextAreaField name="description" label={text('organizations.description')} />
      </FormSection>
    </>
  );
}

function SignatureField() {
  const { text } = useText();
  const { value, set, fault } = useField<SignatureLevel | null>('signatureFromLevel');
  return (
    <FieldFrame
      label={text('signatures.from-level')}
      help={text('signatures.from-level.help')}
      required={false}
      fault={fault}
    >
      {({ id }) => (
        <SignatureLevelSelect
          id={id}
          value={value ?? null}
          inherited={text('signatures.from-level.inherit-organization')}
          onChange={set}
        />
      )}
    </FieldFrame>
  );
}
