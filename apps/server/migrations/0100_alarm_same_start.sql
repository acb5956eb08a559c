-- Two alarms of one rule may start at the same moment: a device that is deleted and restored is silent since the
-- same reading, and an alarm that late readings refuted may keep the start of the one that replaced it.
drop index alarm_episode;
create index alarm_channel_since on alarm (channel_id, since);
