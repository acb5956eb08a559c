-- The notifications of settled messages are looked up in the index of message ids. PostgreSQL knows nothing of the number of
-- rows of a transition table, and compared each notification that exists with each settled message.
create or replace function settle_notification() returns trigger language plpgsql as $$
begin
  update alarm_notification n
     set attempts = m.attempts, error = m.error,
         state = case m.status when 'sent' then 'sent' when 'failed' then 'failed' else n.state end,
         delivered_at = case when m.status = 'sent' then m.settled_at end
    from new_row m
   where n.message_id = any(array(select id from new_row)) and n.message_id = m.id and n.state = 'sending';
  return null;
end $$;
