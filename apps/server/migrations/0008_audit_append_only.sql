-- For everybody, the owner included: what must be changed here is first said out loud, by disabling this.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger audit_entry_append_only before update or delete or truncate on audit_entry
  for each statement execute function refuse_audit_change();
create trigger audit_head_stands before delete or truncate on audit_head
  for each statement execute function refuse_audit_change();
