-- The list of all notifications (/alarm/messages) is read by time.
create index alarm_notification_listed on alarm_notification (first_due_at desc, id desc) where channel <> 'escalation';
-- Those that were not sent are few among many.
create index alarm_notification_failed on alarm_notification (first_due_at desc, id desc) where state = 'failed';
