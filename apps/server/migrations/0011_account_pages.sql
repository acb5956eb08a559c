-- Any page of 100,000 accounts, in any order, out of an index alone: the organisation rides along, so that what lies
-- outside the scope is passed over without a look at the account.
drop index account_realname;
drop index account_last_login;
drop index account_created;
create index account_page_username on account (username, id) include (organization_id);
create index account_page_realname on account (realname, id) include (organization_id);
create index account_page_created on account (created_at, id) include (organization_id);
create index account_page_last_login on account (last_login_at, id) include (organization_id);
create index account_page_last_login_desc on account (last_login_at desc nulls last, id desc) include (organization_id);
