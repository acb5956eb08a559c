-- Reminders and warnings of an organisation end with it; until now they made its deletion fail.
alter table expiry_reminder drop constraint expiry_reminder_organization_id_fkey,
  add constraint expiry_reminder_organization_id_fkey foreign key (organization_id) references organization (id)
    on delete cascade;
alter table balance_warning drop constraint balance_warning_organization_id_fkey,
  add constraint balance_warning_organization_id_fkey foreign key (organization_id) references organization (id)
    on delete cascade;
