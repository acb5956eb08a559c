-- Indexes for a backlog of many notifications: the most severe are claimed first, and those of one message are found by
-- their recipient instead of among all that is due.
create index alarm_notification_gravest on alarm_notification (channel, due_at, id)
  where state = 'pending' and (facts ->> 'level')::int = 5;
create index alarm_notification_same on alarm_notification (recipient_id, channel, recipient_type, url)
  where state = 'pending';
