-- A policy that always tells late alarms also tells one that began and ended within one message of the device, however fresh
-- the message is: it was over before anybody could be told, as a late one. The rest of the function stays as it is (0400).
do $$
declare
  before text := pg_get_functiondef('intend_notifications'::regproc);
  after text := replace(before, 'e.still_holds or e.is_late and e.end_reason', 'e.still_holds or e.end_reason');
begin
  if after = before then
    raise exception 'intend_notifications is not the function that this migration changes';
  end if;
  execute after;
end $$;
