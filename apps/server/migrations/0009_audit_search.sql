-- Search in the log: account, object or reason, in the middle of names and in any script.
create index audit_entry_search on audit_entry
  using gin (lower(username || ' ' || object_name || ' ' || object_id || ' ' || reason) gin_trgm_ops);
