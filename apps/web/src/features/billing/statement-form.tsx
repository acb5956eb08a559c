import { exportStatement, STATEMENT_FORMATS, statementInput } from '@isotherm/contracts/statements';
import { useMemo } from 'react';
import { call } from '../../shared/api/client.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { SelectField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { saveFile } from '../../shared/ui/save-file.ts';

const MONTHS = 24;

/** Form that downloads the statement of a month; it proposes the last full month. */
export function StatementForm({ onClose }: { onClose: () => void }) {
  const { text, language, zone } = useViewer();
  const months = useMemo(() => {
    const now = new Date();
    return Array.from({ length: MONTHS }, (_, back) => {
      const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
      const label = first.toLocaleDateString(language, { year: 'numeric', month: 'long', timeZone: 'UTC' });
      return { value: first.toISOString().slice(0, 7), label };
    });
  }, [language]);
  return (
    <FormDrawer
      title={text('statements.title')}
      submitLabel={text('statements.download')}
      schema={statementInput}
      initial={{ month: months[1]?.value, format: 'pdf' }}
      submit={async (query) => {
        const { fileName, content } = await call(exportStatement, { query: { ...query, zone }, quiet: true });
        saveFile(fileName, content);
      }}
      faultFields={{ 'billing.statement_long': 'format' }}
      onClose={onClose}
    >
      <FormSection>
        <SelectField name="month" label={text('statements.month')} options={months} />
        <SelectField
          name="format"
          label={text('statements.format')}
          options={STATEMENT_FORMATS.map((value) => ({ value, label: text(`statements.format.${value}`) }))}
        />
      </FormSection>
    </FormDrawer>
  );
}
