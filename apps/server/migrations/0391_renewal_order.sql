-- Renewals of device subscriptions (requirements §9): what a year costs, orders that are paid like recharges, and the history of
-- each device.

-- What a year of a model costs. The price with an empty model is that of all models without one of their own.
create table renewal_price (
  id bigint generated always as identity primary key,
  model text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  enabled boolean not null default true,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index renewal_price_model on renewal_price (model, currency) where enabled;

-- The devices of an order of renewals: an order in recharge_order with the commodity 'renewal', whose units are devices.
create table renewal_item (
  order_id bigint not null references recharge_order (id),
  device_id bigint not null references device (id) on delete cascade,
  years smallint not null check (years > 0),
  amount_minor bigint not null check (amount_minor > 0),
  -- Fee for a new SIM card.
  fee_minor bigint not null default 0 check (fee_minor >= 0),
  primary key (order_id, device_id)
);
create index renewal_item_device on renewal_item (device_id);

-- Every renewal of a device, with or without payment.
create table device_renewal (
  id bigint generated always as identity primary key,
  device_id bigint not null references device (id) on delete cascade,
  -- Null for a renewal by an operator without payment.
  order_id bigint references recharge_order (id),
  months smallint not null check (months > 0),
  expired_at timestamptz not null,
  renewed_until timestamptz not null,
  reason text not null default '',
  renewed_by text not null,
  renewed_at timestamptz not null,
  -- An order renews a device once.
  unique (order_id, device_id)
);
create index device_renewal_device on device_renewal (device_id, id desc);
