import { CLIENT_KINDS, clientInput, type WaybillClient } from '@isotherm/contracts/waybill-clients';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ClientRows } from './client-rows.tsx';
import { useClientChanges } from './clients.queries.ts';

const FAULT_FIELDS = { 'organization.not_found': 'organizationId', 'client.taken': 'name' };

const valuesOf = (client: WaybillClient) => ({
  organizationId: client.organizationId,
  name: client.name,
  kind: client.kind,
  sites: client.sites,
  contacts: client.contacts,
  notices: client.notices,
  note: client.note,
  shared: client.shared,
});

/** Form that creates or edits a consignor or consignee. */
export function ClientForm({ client, onClose }: { client: WaybillClient | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useClientChanges();
  return (
    <FormDrawer
      wide
      title={text(client ? 'clients.edit' : 'clients.create')}
      submitLabel={text(client ? 'common.action.save' : 'clients.create')}
      schema={clientInput}
      initial={
        client
          ? valuesOf(client)
          : { kind: 'consignee', sites: [], contacts: [], shared: true, notices: true }
      }
      submit={(values) => {
        const whole = clientInput.parse(values);
        return client ? changes.edit(client.id, whole) : changes.create(whole);
      }}
      success={text('clients.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('clients.name')} />
        <SelectField
          name="kind"
          label={text('clients.kind')}
          options={CLIENT_KINDS.map((value) => ({ value, label: text(`clients.kind.${value}`) }))}
        />
        <OrganizationField label={text('clients.organization')} />
        <SwitchField name="shared" label={text('clients.shared')} help={text('clients.shared.help')} />
        <SwitchField name="notices" label={text('clients.notices')} help={text('clients.notices.help')} />
        <TextAreaField name="note" label={text('clients.note')} rows={2} />
      </FormSection>
      <FormSection title={text('clients.sites')}>
        <ClientRows name="sites" />
      </FormSection>
      <FormSection title={text('clients.contacts')}>
        <ClientRows name="contacts" />
      </FormSection>
    </FormDrawer>
  );
}
