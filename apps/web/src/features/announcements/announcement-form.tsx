import { type Announcement, announcementInput, SEND_TYPES } from '@isotherm/contracts/announcements';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../shared/ui/form/date-field.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { MomentField } from '../../shared/ui/form/moment-field.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { choicesQuery, useAnnouncementChanges } from './announcements.queries.ts';
import { RichTextField } from './rich-text-field.tsx';

const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'announcement_category.not_found': 'categoryId',
  'announcement_group.not_found': 'groupId',
};

/** Form of a draft. A new one is opened afterwards, so that attachments can be added. */
export function AnnouncementForm({
  announcement,
  onClose,
}: {
  announcement: Announcement | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useAnnouncementChanges();
  const [, change] = useUrlState();
  const created = useRef<number | null>(null);
  const { data: choices } = useQuery(choicesQuery);
  return (
    <FormDrawer
      wide
      title={text(announcement ? 'announcements.edit' : 'announcements.create')}
      submitLabel={text('announcements.save')}
      schema={announcementInput}
      initial={
        announcement
          ? {
              organizationId: announcement.organizationId,
              title: announcement.title,
              categoryId: announcement.categoryId,
              groupId: announcement.groupId,
              body: announcement.body,
              sendType: announcement.sendType,
              dueAt: announcement.dueAt,
              popup: announcement.popup,
              email: announcement.email,
              pinnedUntil: announcement.pinnedUntil,
            }
          : { sendType: 'now' as const, popup: false, email: false }
      }
      submit={async (values) => {
        if (announcement) return changes.edit(announcement.id, values);
        const made = await changes.create(values);
        created.current = made.id;
        return made;
      }}
      success={text('announcements.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
      {...(announcement ? {} : { onDone: () => change({ new: null, announcement: created.current }) })}
    >
      <FormSection>
        <TextField wide name="title" label={text('announcements.subject')} />
        <RichTextField name="body" label={text('announcements.text')} />
        <OrganizationField label={text('announcements.organization')} />
        <SelectField
          clearable
          name="categoryId"
          label={text('announcements.category')}
          placeholder={text('announcements.category.none')}
          options={(choices?.categories ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
        <SelectField
          wide
          clearable
          name="groupId"
          label={text('announcements.audience')}
          help={text('announcements.audience.help')}
          placeholder={text('announcements.everybody')}
          options={(choices?.groups ?? []).map(({ id, name, organizationName, users }) => ({
            value: id,
            label: text('announcements.audience.option', { name, count: users }),
            hint: organizationName,
          }))}
        />
        <SendFields canMail={choices?.canMail ?? true} />
      </FormSection>
    </FormDrawer>
  );
}

function SendFields({ canMail }: { canMail: boolean }) {
  const { text } = useText();
  const { value: sendType } = useField<string>('sendType');
  return (
    <>
      <SelectField
        name="sendType"
        label={text('announcements.send-type')}
        options={SEND_TYPES.map((value) => ({ value, label: text(`announcements.send-type.${value}`) }))}
      />
      {sendType === 'scheduled' ? (
        <MomentField
          name="dueAt"
          label={text('announcements.due-at')}
          help={text('announcements.due-at.help')}
        />
      ) : (
        <span />
      )}
      <SwitchField name="popup" label={text('announcements.popup')} help={text('announcements.popup.help')} />
      <SwitchField
        name="email"
        label={text('announcements.email')}
        help={text(canMail ? 'announcements.email.help' : 'announcements.email.none')}
        disabled={!canMail}
      />
      <DateField
        name="pinnedUntil"
        label={text('announcements.pinned')}
        help={text('announcements.pinned.help')}
      />
    </>
  );
}
