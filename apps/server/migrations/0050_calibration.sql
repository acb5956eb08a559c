-- What laboratories found of sensors. Readings stay what the sensor said; corrections are applied where they are read.

create table calibration (
  id bigint generated always as identity primary key,
  sensor_id bigint not null references sensor (id),
  -- Of the instrument that was in the laboratory: another may hang in its place by now.
  serial text not null,
  certificate text not null,
  laboratory text not null,
  calibrated_on date not null,
  due_on date not null check (due_on > calibrated_on),
  -- From when on what was found is taken off the readings; null: the certificate only dates the sensor.
  applied_from timestamptz,
  -- When that instrument went.
  ended_at timestamptz,
  note text not null default '',
  changed_by text not null,
  changed_at timestamptz not null,
  constraint calibration_certificate unique (sensor_id, certificate)
);
create index calibration_due on calibration (due_on);

create table calibration_point (
  calibration_id bigint not null references calibration (id) on delete cascade,
  channel_id integer not null references channel (id),
  position integer not null,
  reference real not null,
  reading real not null,
  -- Expanded, k = 2; null where the certificate names none.
  uncertainty real,
  primary key (calibration_id, channel_id, position)
);
create index calibration_point_channel on calibration_point (channel_id);
