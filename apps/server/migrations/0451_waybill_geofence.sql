-- Geofences by which a waybill departs (its asset leaves it) and is delivered (its asset enters one of them).
create table waybill_geofence (
  waybill_id bigint not null references waybill (id) on delete cascade,
  geofence_id bigint not null references geofence (id) on delete cascade,
  role text not null check (role in ('departure', 'arrival')),
  -- Events from before then do not move the waybill.
  since timestamptz not null,
  primary key (waybill_id, role, geofence_id)
);
create unique index waybill_geofence_departure on waybill_geofence (waybill_id) where role = 'departure';
create index waybill_geofence_fence on waybill_geofence (geofence_id);
