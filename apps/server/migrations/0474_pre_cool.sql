-- How long the vehicle or box must have been in the range of the goods before the departure, minutes
-- (packages/domain/src/waybills/pre-cool.ts); null: not checked.
alter table product_profile add column pre_cool_minutes integer check (pre_cool_minutes between 1 and 1440);
-- Null: that of the product; 0: not checked.
alter table waybill add column pre_cool_minutes integer check (pre_cool_minutes between 0 and 1440);
update waybill set limits = limits || '{"preCoolMinutes": null}';

-- What the check said at the departure. The application may only append.
create table waybill_pre_cool (
  waybill_id bigint primary key references waybill (id) on delete cascade,
  asset_id bigint not null references asset (id),
  at timestamptz not null,
  state text not null check (state in ('ready', 'waiting', 'outside', 'no-readings')),
  required_ms bigint not null,
  inside_ms bigint not null,
  -- Why it departed all the same; '' if it was ready, or departed by a geofence.
  reason text not null,
  username text not null,
  is_automatic boolean not null
);
