import {
  ALERTOR_USERNAME,
  type Alertor,
  alertorInput,
  createAlertor,
  deleteAlertor,
  editAlertor,
  getAlertor,
  listAlertors,
  renewAlertorKey,
} from '@isotherm/contracts/alertors';
import { ALERTOR_KINDS } from '@isotherm/domain/alarms/alertor';
import { useMemo, useState } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';

const KEY = ['alarms', 'alertors'] as const;
const source = pagesOf(listAlertors);
const useChanges = crudChanges(KEY, {
  create: createAlertor,
  edit: editAlertor,
  renewKey: renewAlertorKey,
  remove: deleteAlertor,
});
const load = (id: number, signal: AbortSignal) => call(getAlertor, { params: { id }, signal });
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'alertor.taken': 'name',
  'alertor.serial_taken': 'serial',
};

interface Made {
  alertor: Alertor;
  key: string;
}

function columnsFor({ text, time }: Viewer): ListColumn<Alertor>[] {
  return [
    {
      key: 'name',
      title: text('alertors.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'serial',
      title: text('alertors.serial'),
      sortable: true,
      render: ({ serial }) => <code>{serial}</code>,
    },
    {
      key: 'kind',
      title: text('alertors.kind'),
      render: ({ kind }) => <span className="secondary">{text(`alertors.kind.${kind}`)}</span>,
    },
    {
      key: 'place',
      title: text('alertors.place'),
      sortable: true,
      maxWidth: 300,
      render: ({ place }) => place,
    },
    {
      key: 'state',
      title: text('alertors.state'),
      render: ({ isOnline, level, alarms, isConfirmed }) => (
        <>
          {isOnline ? text('alertors.online') : <span className="tag">{text('alertors.offline')}</span>}
          {level > 0 ? (
            <span className="secondary"> · {text('alertors.alarms', { count: alarms, level })}</span>
          ) : null}
          {isOnline && !isConfirmed ? (
            <span className="secondary"> · {text('alertors.unconfirmed')}</span>
          ) : null}
        </>
      ),
    },
    {
      key: 'seenAt',
      title: text('alertors.seen'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ seenAt }) => (
        <span className="secondary">{seenAt ? time(seenAt, 'date-time') : EN_RULE}</span>
      ),
    },
    {
      key: 'organization',
      title: text('alertors.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('receivers.changed'),
      offered: true,
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the alertors: sirens and lamps that show alarms where they hang. */
export default function AlertorList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const [made, setMade] = useState<Made | null>(null);
  const [renewed, setRenewed] = useState<Alertor | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <>
      <RecordList
        name="device-alertors"
        title={text('menu.device-alertors')}
        purpose={text('alertors.purpose')}
        permission="device-alertors:edit"
        param="alertor"
        source={source}
        queryKey={KEY}
        load={load}
        columns={columns}
        nameOf={({ name }) => name}
        searchLabel={text('alertors.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        words={{
          create: text('alertors.create'),
          edit: text('alertors.edit'),
          remove: text('alertors.delete'),
        }}
        moreRowActions={(alertor) => [
          { key: 'key', label: text('alertors.renew-key'), onClick: () => setRenewed(alertor) },
        ]}
        empty={{ title: text('alertors.empty'), reason: text('alertors.empty-reason') }}
        form={(alertor, close) => <AlertorForm alertor={alertor} onMade={setMade} onClose={close} />}
        removal={{
          title: (name) => text('alertors.delete.title', { name }),
          means: () => text('alertors.delete.means'),
          done: (name) => text('alertors.deleted', { name }),
          run: ({ id }, reason) => changes.remove(id, reason),
        }}
      />
      {renewed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('alertors.renew-key.title', { name: renewed.name })}
          confirmLabel={text('alertors.renew-key')}
          onConfirm={async (reason) => setMade(await changes.renewKey(renewed.id, reason))}
          onClose={() => setRenewed(null)}
        >
          {text('alertors.renew-key.means')}
        </ConfirmWithReason>
      ) : null}
      {made ? (
        <OneTimeSecret
          title={text('alertors.key.title', { name: made.alertor.name })}
          secret={`${ALERTOR_USERNAME}${made.alertor.serial}\n${made.key}`}
          onClose={() => setMade(null)}
        >
          {text('alertors.key.means')}
        </OneTimeSecret>
      ) : null}
    </>
  );
}

function AlertorForm({
  alertor,
  onMade,
  onClose,
}: {
  alertor: Alertor | undefined;
  onMade: (made: Made) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useChanges();
  return (
    <FormDrawer
      title={text(alertor ? 'alertors.edit' : 'alertors.create')}
      submitLabel={text(alertor ? 'common.action.save' : 'alertors.create')}
      schema={alertorInput}
      initial={alertor ? initialOf(alertor) : { kind: 'alertor' }}
      submit={async (values) => {
        if (alertor) await changes.edit(alertor.id, values);
        else onMade(await changes.create(values));
      }}
      success={text('alertors.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('alertors.name')} />
        <OrganizationField label={text('alertors.organization')} />
        <TextField name="serial" label={text('alertors.serial')} help={text('alertors.serial.help')} />
        <SelectField
          name="kind"
          label={text('alertors.kind')}
          options={ALERTOR_KINDS.map((value) => ({ value, label: text(`alertors.kind.${value}`) }))}
        />
        <TextField name="place" label={text('alertors.place')} help={text('alertors.place.help')} />
      </FormSection>
    </FormDrawer>
  );
}

const initialOf = ({ organizationId, name, serial, kind, place }: Alertor) => ({
  organizationId,
  name,
  serial,
  kind,
  place,
});
