-- When the provider of an unpaid order is asked next, with a pause that grows (docs/ledger.md), so that orders whose provider fails
-- do not delay others, and payments of orders that were cancelled or timed out are found although their callback was lost.
-- The defaults are for orders that earlier releases place during an upgrade.
alter table recharge_order
  -- Null: it is not asked any more.
  add column ask_at timestamptz default now(),
  -- How often it was asked since the order has ended.
  add column asks integer not null default 0;
update recharge_order
   set ask_at = case when state = 'waiting' then expires_at
                     when state in ('failed', 'timeout', 'cancelled') and expires_at > now() - interval '1 day' then now() end;
create index recharge_order_asks on recharge_order (ask_at) where ask_at is not null;
drop index recharge_order_waiting;
