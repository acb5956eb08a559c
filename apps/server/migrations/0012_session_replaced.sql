-- A session that was replaced lives on for calls under way, and can neither be replaced again nor outlive its heir.
alter table session add column replaced_by uuid;
create index session_replaced_by on session (replaced_by) where replaced_by is not null;
