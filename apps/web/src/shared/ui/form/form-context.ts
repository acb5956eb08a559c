import { createContext, useContext } from 'react';
import type { Form } from './use-form.ts';

const NOT_IN_A_FORM = 'a form field stands outside a form';

export const FormContext = createContext<Form | null>(null);

export function useFormContext(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error(NOT_IN_A_FORM);
  return form;
}

/** Returns the state of a field of the surrounding form: value, error, and whether the schema requires it. */
export function useField<T>(name: string): {
  value: T | undefined;
  set: (value: T | undefined) => void;
  fault: string | undefined;
  required: boolean;
} {
  const { values, set, faults, schema } = useFormContext();
  const rule = schema.shape[name];
  return {
    value: values[name] as T | undefined,
    set: (value) => set(name, value),
    fault: faults[name],
    required: rule !== undefined && !rule.safeParse(undefined).success && !rule.safeParse('').success,
  };
}
