-- Invoices that payers request for paid orders. The operator issues them outside of this software and notes their number and date.
create table invoice (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  title text not null,
  tax_number text not null,
  address text not null,
  email text not null,
  requested_by text not null,
  requested_at timestamptz not null,
  -- Null until it is issued.
  number text,
  issued_on date,
  issued_by text,
  issued_at timestamptz,
  check ((number is null) = (issued_at is null) and (number is null) = (issued_on is null))
);
create index invoice_organization on invoice (organization_id, id desc);

-- An order has one invoice.
create table invoice_order (
  order_id bigint primary key references recharge_order (id),
  invoice_id bigint not null references invoice (id)
);
create index invoice_order_invoice on invoice_order (invoice_id);
