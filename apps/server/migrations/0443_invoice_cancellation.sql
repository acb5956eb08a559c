-- Invoices that were cancelled: requests that are not issued, and issued invoices for which the operator has made a credit note.
alter table invoice
  add column cancelled_at timestamptz,
  add column cancelled_by text,
  add column cancel_reason text,
  add constraint invoice_cancelled
    check ((cancelled_at is null) = (cancelled_by is null) and (cancelled_at is null) = (cancel_reason is null));

-- An order has one invoice that is not cancelled. A cancelled one keeps the numbers of its orders.
alter table invoice_order
  add column cancelled boolean not null default false,
  drop constraint invoice_order_pkey,
  add primary key (invoice_id, order_id);
create unique index invoice_order_once on invoice_order (order_id) where not cancelled;
drop index invoice_order_invoice;
