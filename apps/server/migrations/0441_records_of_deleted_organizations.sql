-- What an organisation has that ends with it; it made its deletion fail. All other records prevent the deletion and are counted
-- (identity/organizations/organizations.repo.ts): of keys, registrations and balances only those that must be kept.
do $$
declare
  child text;
begin
  foreach child in array array['premium_service', 'billing_account', 'billing_settlement', 'organization_day',
                               'machine_authorization'] loop
    execute format('alter table %1$I drop constraint %2$I, add constraint %2$I foreign key (organization_id)
                      references organization (id) on delete cascade', child, child || '_organization_id_fkey');
  end loop;
end $$;
alter table registration drop constraint registration_parent_organization_id_fkey,
  add constraint registration_parent_organization_id_fkey foreign key (parent_organization_id) references organization (id)
    on delete cascade;
