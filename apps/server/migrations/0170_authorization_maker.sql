-- An API key belongs to the account that made it: user names are given again after an account was deleted. A key without an
-- account is refused.
alter table machine_authorization add column maker_id bigint references account (id) on delete set null;
create index machine_authorization_maker on machine_authorization (maker_id);

-- Keys whose maker cannot be told for certain get none: the account is younger, or the organisation is outside its scope.
update machine_authorization m
   set maker_id = a.id
  from account a, organization own, organization o
 where a.username = m.created_by and a.created_at <= m.created_at
   and own.id = a.organization_id and o.id = m.organization_id and o.path like own.path || '%';

-- Processes of the previous release name the maker only.
create function machine_authorization_maker() returns trigger language plpgsql as $$
begin
  if new.maker_id is null then
    new.maker_id := (select id from account where username = new.created_by);
  end if;
  return new;
end $$;
create trigger machine_authorization_maker before insert on machine_authorization
  for each row execute function machine_authorization_maker();
