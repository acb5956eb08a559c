-- Rule pack of scheduled compliance reports; other kinds ignore it.
alter table report_schedule add column rule_pack text not null default 'gsp';
