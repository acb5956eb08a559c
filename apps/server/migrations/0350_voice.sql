-- Voice calls as a notification channel (docs/notifications.md). Calls are stored in alarm_sms as SMS are: the number, the
-- text that is spoken, the units and the attempts.
insert into notification_channel (name, goes_to) values ('voice', 'people');

-- When the recipient has pressed the key that acknowledges; a call acknowledges once.
alter table alarm_sms add column pressed_at timestamptz;

-- The most severe first, because the balance or the providers may not be enough for all.
create index alarm_notification_due_voice on alarm_notification (((facts ->> 'level')::int) desc, due_at, id)
  where state = 'pending' and channel = 'voice';
