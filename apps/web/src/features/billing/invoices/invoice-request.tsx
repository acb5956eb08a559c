import { getInvoicePayer, requestInvoice } from '@isotherm/contracts/invoices';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { BILLING_KEY, useBillingChanges } from '../billing.queries.ts';

const form = requestInvoice.body.omit({ orderIds: true });

/** Drawer that requests an invoice for paid orders; the payer is that of the last invoice. */
export function InvoiceRequest({
  orderIds,
  onDone,
  onClose,
}: {
  orderIds: readonly number[];
  onDone: () => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useBillingChanges();
  const { data, isPending } = useQuery({
    queryKey: [...BILLING_KEY, 'invoice-payer'],
    queryFn: ({ signal }) => call(getInvoicePayer, { signal, quiet: true }),
  });
  if (isPending) return null;
  return (
    <FormDrawer
      title={text('invoices.request.title', { count: orderIds.length })}
      submitLabel={text('invoices.request')}
      schema={form}
      initial={data ?? {}}
      submit={(values) => changes.requestInvoice({ ...values, orderIds: [...orderIds] })}
      success={text('invoices.requested')}
      onDone={onDone}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="title" label={text('invoices.payer')} />
        <TextField name="taxNumber" label={text('invoices.tax-number')} />
        <TextAreaField name="address" label={text('invoices.address')} rows={2} />
        <TextField name="email" label={text('invoices.email')} help={text('invoices.email.help')} />
      </FormSection>
    </FormDrawer>
  );
}
