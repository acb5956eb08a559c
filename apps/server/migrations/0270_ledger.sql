-- Double-entry ledger of prepaid units (decision 27, docs/ledger.md). An entry moves units of one commodity between two accounts;
-- balances follow from the entries and are written only by the trigger below.
create table billing_account (
  id bigint generated always as identity primary key,
  -- Null for the two accounts of the installation, 'sold' and 'used'.
  organization_id bigint references organization (id),
  commodity text not null,
  role text not null,
  balance bigint not null default 0,
  -- How far level 5 may go below zero; the platform grants it.
  overdraft bigint not null default 0 check (overdraft >= 0),
  constraint billing_account_covered check (role = 'sold' or balance >= -overdraft),
  constraint billing_account_owner check ((organization_id is null) = (role in ('sold', 'used')))
);
create unique index billing_account_of on billing_account (organization_id, commodity, role) nulls not distinct;
-- First, so that they have the lowest ids and every transaction locks them before those of organisations.
insert into billing_account (commodity, role)
select commodity, role from unnest(array['sms', 'voice', 'wechat']) as commodity, unnest(array['sold', 'used']) as role;

create table ledger_entry (
  id bigint generated always as identity primary key,
  kind text not null,
  from_id bigint not null references billing_account (id),
  to_id bigint not null references billing_account (id),
  amount bigint not null check (amount > 0),
  at timestamptz not null,
  -- What caused the entry. The same cause has one entry of each kind, so that a repetition changes nothing.
  cause_kind text not null,
  cause_id bigint not null,
  -- Organisation for which the units were bought or used; the payer may be another one.
  organization_id bigint not null,
  created_by text not null,
  check (from_id <> to_id)
);
create unique index ledger_entry_cause on ledger_entry (cause_kind, cause_id, kind);
create index ledger_entry_from on ledger_entry (from_id, at);
create index ledger_entry_to on ledger_entry (to_id, at);

create function post_ledger_entries() returns trigger language plpgsql as $$
begin
  -- In the order of the accounts, so that no two transactions wait for each other. 'No key', because the foreign keys of other
  -- entries share the rows.
  perform 1 from billing_account
    where id in (select from_id from new_row union select to_id from new_row) order by id for no key update;
  update billing_account a set balance = balance + d.delta
    from (select account_id, sum(delta) as delta
            from (select from_id as account_id, -amount as delta from new_row
                  union all select to_id, amount from new_row) as moved
           group by account_id) as d
   where a.id = d.account_id;
  return null;
end $$;
create trigger post after insert on ledger_entry
  referencing new table as new_row for each statement execute function post_ledger_entries();

-- Organisations that pay for themselves and for those below them. All others are paid for by the nearest of these at or above
-- them, or by their company.
create table billing_settlement (
  organization_id bigint primary key references organization (id),
  changed_by text not null,
  changed_at timestamptz not null
);
