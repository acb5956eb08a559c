-- How many accounts stand in each state is asked with every page of their list: the few that are not active are
-- found by themselves.
create index account_pending on account (organization_id) where pending;
create index account_disabled on account (organization_id) where disabled_at is not null;

-- Counted at every attempt, and good for a quarter of an hour: not worth a wait for the disk. After a crash of the
-- database the counts begin anew.
alter table login_failure set unlogged;
