-- The register of reports is searched by number and subject.
create index report_search on report using gin (lower(number || ' ' || subject_name) gin_trgm_ops);
