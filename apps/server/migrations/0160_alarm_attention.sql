-- The wall asks for the alarms of its assets that are open, or ended and not acknowledged (decision 22).
create index alarm_attention on alarm (asset_id) where ended_at is null or handled_at is null;
