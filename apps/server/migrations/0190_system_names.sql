-- Names that demo data had in English become system names, which are translated for each reader
-- (packages/domain/src/names/system-name.ts).
create temporary table given_name (name text primary key, key text not null) on commit drop;
insert into given_name values
  ('Air', 'air'), ('Air, door side', 'air-door-side'), ('Air, far end', 'air-far-end'),
  ('Air, shelf 1', 'air-top-shelf'), ('Air, shelf 4', 'air-bottom-shelf'), ('Battery', 'battery'),
  ('Carbon dioxide', 'carbon-dioxide'), ('Defrost', 'defrost'), ('Door', 'door'), ('Front', 'front'),
  ('Humidity', 'humidity'), ('Inside', 'inside'), ('Light', 'illuminance'), ('Load', 'load'),
  ('Main unit', 'main-unit'), ('Mains power', 'mains-power'), ('Oxygen', 'oxygen'), ('Pallet', 'pallet'),
  ('Rear, door side', 'rear-door-side'), ('Return air', 'return-air'), ('Signal', 'signal'),
  ('Supply air', 'supply-air'), ('Temperature', 'temperature'), ('Vehicle voltage', 'vehicle-voltage');

-- Only in the demonstration's organisations: elsewhere somebody typed such a name.
create temporary table demo_device (id bigint primary key) on commit drop;
insert into demo_device
  select d.id from device d join organization o on o.id = d.organization_id
    join organization demo on demo.code = 'DEMO' and o.path like demo.path || '%';

update channel c set name = '{name:' || g.key || '}' from given_name g
 where c.name = g.name and c.device_id in (select id from demo_device);
update sensor s set name = '{name:' || g.key || '}' from given_name g
 where (s.name = g.name or s.name = 'Probe ' || g.name) and s.device_id in (select id from demo_device);
