-- The last known place of each asset (docs/maps.md): that of its devices, since a device may be bound to another asset
-- later. `moved_from` is the last place at some distance, from which the direction of travel follows.
create table asset_position (
  asset_id bigint primary key references asset (id),
  device_id bigint not null,
  measured_at timestamptz not null,
  latitude double precision not null,
  longitude double precision not null,
  speed_kmh real,
  moved_from point
) with (fillfactor = 70);

-- Positions that were stored before this table existed.
insert into asset_position (asset_id, device_id, measured_at, latitude, longitude, speed_kmh)
select distinct on (d.asset_id) d.asset_id, d.id, p.measured_at, p.latitude, p.longitude, p.speed_kmh
  from device d
  cross join lateral (select * from position where device_id = d.id order by measured_at desc limit 1) p
 where d.asset_id is not null and d.deleted_at is null
 order by d.asset_id, p.measured_at desc;
