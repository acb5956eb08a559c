import {
  type OnCallInput,
  type OnCallScheduleView,
  onCallChangeInput,
  onCallInput,
} from '@isotherm/contracts/on-call';
import { currentZone } from '@isotherm/contracts/time-zones';
import type { OnCallChangeKind } from '@isotherm/domain/alarms/on-call';
import { personKey } from '@isotherm/domain/alarms/person';
import { useRef } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { zoneName } from '../../../shared/format/zones.ts';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { MomentField } from '../../../shared/ui/form/moment-field.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { PeopleField } from '../people-field.tsx';
import { ON_CALL_PEOPLE, useOnCallChanges } from './on-call.queries.ts';

const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'on_call.taken': 'name',
  'on_call.person': 'people',
};

/** Form for a rota. */
export function ScheduleForm({
  schedule,
  onClose,
  onSaved,
}: {
  schedule: OnCallScheduleView | undefined;
  onClose: () => void;
  onSaved: (id: number) => void;
}) {
  const { text, zone } = useViewer();
  const changes = useOnCallChanges();
  const saved = useRef(0);
  return (
    <FormDrawer
      title={text(schedule ? 'on-call.edit' : 'on-call.create')}
      submitLabel={text(schedule ? 'common.action.save' : 'on-call.create')}
      schema={onCallInput}
      initial={
        schedule
          ? initialOf(schedule)
          : { people: [], handoverAt: '08:00', turnDays: 7, timeZone: currentZone(zone) }
      }
      submit={async (values) => {
        const answer = schedule
          ? changes.edit(schedule.id, values as OnCallInput)
          : changes.create(values as OnCallInput);
        saved.current = (await answer).id;
      }}
      success={text('on-call.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
      onDone={() => onSaved(saved.current)}
    >
      <FormSection>
        <TextField name="name" label={text('receivers.name')} />
        <OrganizationField label={text('receivers.organization')} />
        <PeopleField
          wide
          name="people"
          label={text('on-call.people')}
          help={text('on-call.people.help')}
          source={ON_CALL_PEOPLE}
          known={schedule?.people ?? []}
        />
        <DateField name="startsOn" label={text('on-call.starts-on')} help={text('on-call.starts-on.help')} />
        <NumberField
          name="turnDays"
          label={text('on-call.turn-days')}
          unit={text('on-call.turn-days.unit')}
          step={1}
        />
        <TextField
          name="handoverAt"
          label={text('on-call.handover-at')}
          help={text('on-call.handover-at.help')}
        />
        <ZoneField name="timeZone" label={text('receivers.time-zone')} />
        <TextAreaField name="description" label={text('receivers.description')} />
      </FormSection>
    </FormDrawer>
  );
}

function initialOf(schedule: OnCallScheduleView) {
  const { organizationId, name, description, people, startsOn, handoverAt, timeZone, turnDays } = schedule;
  return {
    organizationId,
    name,
    description,
    people: people.map(({ type, id }) => ({ type, id })),
    startsOn,
    handoverAt,
    timeZone: currentZone(timeZone),
    turnDays,
  };
}

/** Form for an override or leave; `span` fills its times, for example those of a gap. */
export function ChangeForm({
  schedule,
  kind,
  span,
  onClose,
}: {
  schedule: OnCallScheduleView;
  kind: OnCallChangeKind;
  span: { from: string; until: string } | null;
  onClose: () => void;
}) {
  const { text, zone } = useViewer();
  const changes = useOnCallChanges();
  const known = [...schedule.people, ...schedule.changes.map(({ person }) => person)];
  return (
    <FormDrawer
      title={text(`on-call.${kind}.add`)}
      submitLabel={text(`on-call.${kind}.add`)}
      schema={onCallChangeInput}
      initial={{ kind, ...span }}
      submit={(values) => changes.add(schedule.id, values)}
      success={text('on-call.saved')}
      faultFields={{ 'on_call.person': 'person' }}
      onClose={onClose}
    >
      <FormSection>
        <PeopleField
          single
          wide
          name="person"
          label={text('on-call.person')}
          source={ON_CALL_PEOPLE}
          known={[...new Map(known.map((person) => [personKey(person), person])).values()]}
        />
        <MomentField
          name="from"
          label={text('on-call.from')}
          help={text('on-call.zone.help', { zone: zoneName(zone) })}
        />
        <MomentField name="until" label={text('on-call.until')} />
      </FormSection>
    </FormDrawer>
  );
}
