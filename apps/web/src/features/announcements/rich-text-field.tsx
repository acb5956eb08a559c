import { lazy, Suspense } from 'react';
import { FieldFrame, type FieldProps } from '../../shared/ui/form/field-frame.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';

const RichTextEditor = lazy(() => import('./rich-text-editor.tsx'));

/** Form field for formatted text, as HTML. */
export function RichTextField(props: FieldProps) {
  const { value, set, fault, required } = useField<string>(props.name);
  return (
    <FieldFrame wide {...props} required={required} fault={fault}>
      {(control) => (
        <Suspense fallback={<div className="skeleton announcement-editor-waiting" />}>
          <RichTextEditor
            initial={value ?? ''}
            control={control}
            label={props.label}
            isWrong={fault !== undefined}
            onChange={set}
          />
        </Suspense>
      )}
    </FieldFrame>
  );
}
