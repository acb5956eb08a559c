import { MAPPING_TEMPLATES, type MappingTemplate } from '@isotherm/domain/readings/mapping-templates';
import Select from 'antd/es/select';
import { useState } from 'react';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { FieldFrame } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { draftsOf, type EntryDraft } from './entry-drafts.ts';

function templateName({ model, hasProbe }: MappingTemplate, text: Text): string {
  return hasProbe ? text('mappings.template.with-probe', { model }) : model;
}

/** Field that replaces the entries and the list by those of a common sensor. */
export function TemplateField() {
  const { text } = useText();
  const [chosen, setChosen] = useState<MappingTemplate>();
  const entries = useField<EntryDraft[]>('entries');
  const model = useField<string>('deviceModel');
  const path = useField<string>('listPath');
  const timePath = useField<string>('listTimePath');
  const timeFormat = useField<string>('listTimeFormat');
  const makers = [...new Set(MAPPING_TEMPLATES.map(({ maker }) => maker))];

  function start(key: string) {
    const template = MAPPING_TEMPLATES.find((each) => each.key === key);
    setChosen(template);
    if (!template) return;
    entries.set(draftsOf(template.entries));
    path.set(template.list?.path ?? '');
    timePath.set(template.list?.timePath ?? '');
    timeFormat.set(template.list?.timeFormat ?? 'seconds');
    if (!model.value) model.set(template.model);
  }
  return (
    <FieldFrame
      wide
      label={text('mappings.template')}
      help={
        chosen
          ? text('mappings.template.source', { document: chosen.document })
          : text('mappings.template.help')
      }
      required={false}
      fault={undefined}
    >
      {(control) => (
        <KeyFrame take={isTab}>
          <Select
            {...control}
            className="form-select"
            placeholder={text('mappings.template.choose')}
            showSearch={{ optionFilterProp: 'label' }}
            value={chosen?.key ?? null}
            options={makers.map((maker) => ({
              label: maker,
              options: MAPPING_TEMPLATES.filter((each) => each.maker === maker).map((each) => ({
                value: each.key,
                label: templateName(each, text),
              })),
            }))}
            onChange={(key) => start(key)}
          />
        </KeyFrame>
      )}
    </FieldFrame>
  );
}
