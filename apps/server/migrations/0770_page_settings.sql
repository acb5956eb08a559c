-- Settings of pages, by account (requirements §3: pageRefreshInterval, ShowReportWarningInfo).
alter table account
  add column page_refresh_seconds integer not null default 300,
  add column report_alarms boolean not null default false;
