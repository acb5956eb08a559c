-- A planned escalation is not told of the end of an alarm, nor again when late readings open the alarm: the row of the latter was
-- taken for an escalation that is due. A trigger keeps such rows out whichever version of intend_notifications writes them, since
-- later migrations replace that function.
create function keep_planned_escalations() returns trigger language plpgsql as $$
begin
  return null;
end $$;
create trigger keep_planned_escalations before insert on alarm_notification
  for each row when (new.channel = 'escalation' and new.kind in ('ended', 'reopened'))
  execute function keep_planned_escalations();

delete from alarm_notification where channel = 'escalation' and kind in ('ended', 'reopened');
