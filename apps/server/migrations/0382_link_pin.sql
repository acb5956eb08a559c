-- Acknowledge links (docs/alarms.md, Notifications): a PIN of the receiver, links in SMS, and who revoked a link.

-- Only a keyed hash of the PIN is stored; null: none.
alter table alarm_receiver
  add column link_pin_mac text,
  add column link_pin_set_at timestamptz;

alter table public_link
  -- The notification channel of the message that contains the link; empty for links of earlier releases.
  add column sent_by text not null default '',
  -- How often a PIN was entered since the last right one.
  add column pin_tries smallint not null default 0,
  -- The account that revoked it.
  add column revoked_by bigint references account (id) on delete set null;

-- The link of an SMS until its last attempt, sealed. `text` is without it, because it is shown in the console.
alter table alarm_sms add column sealed_link bytea;
