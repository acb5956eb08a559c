import { wordIssues } from '@isotherm/contracts/validation';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { z } from 'zod';
import { type Text, useText } from '../../i18n/use-text.ts';
import { serverFaults } from './server-faults.ts';

export type Values = Record<string, unknown>;
export type Faults = Readonly<Record<string, string>>;

export interface Form {
  schema: z.ZodObject;
  values: Values;
  set: (name: string, value: unknown) => void;
  /**
   * Fills an empty field as if the value were an initial one. A value that is still loading may be given as a promise, for
   * which a submit waits.
   */
  prefill: (name: string, value: unknown) => void;
  /** Error messages by field. */
  faults: Faults;
  /** Error that belongs to no field; null if there is none. */
  failure: string | null;
  dirty: boolean;
  busy: boolean;
  /** Submits the form; resolves with true if it was accepted. */
  submit: () => Promise<boolean>;
  /** Resets the values to the initial or the last saved ones. */
  reset: () => void;
  /** Number of submits that were refused. When it changes, the first field with an error gets the focus. */
  refusals: number;
}

function faultsOf(schema: z.ZodObject, values: Values, text: Text): Record<string, string> {
  const checked = schema.safeParse(values);
  if (checked.success) return {};
  return Object.fromEntries(
    wordIssues(checked.error, values).map(({ field, rule, params }) => [
      field.split('.')[0] ?? field,
      text(`validation.${rule}`, params),
    ]),
  );
}

/** Returns the values without empty fields, so that the contract's defaults and optional fields apply. */
function given(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * Hook for a form with the schema of a contract's body: rules and messages are those of the server (issue 3,
 * "one schema for both sides"). Errors of the server are shown at their field; the input is kept.
 */
export function useForm<S extends z.ZodObject>({
  schema,
  initial,
  submit,
  faultFields = {},
}: {
  schema: S;
  initial: Partial<z.input<S>>;
  submit: (values: z.input<S>) => Promise<unknown>;
  /** Form field for each error code of the server: `user.username_taken` → `username`. */
  faultFields?: Readonly<Record<string, string>> | undefined;
}): Form {
  const { text } = useText();
  const [values, setValues] = useState<Values>(initial);
  const [faults, setFaults] = useState<Faults>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState(0);
  /** The initial or last saved values, with which the current ones are compared. */
  const [start, setStart] = useState<Values>(initial);
  const running = useRef(false);
  /** Values that are still loading, by field. */
  const loading = useRef(new Map<string, Promise<unknown>>());

  const set = useCallback(
    (name: string, value: unknown) => {
      setValues((old) => {
        const next = { ...old, [name]: value };
        // A displayed error is updated while the user types; a new one appears only at the next submit.
        setFaults((shown) => {
          if (!(name in shown)) return shown;
          const { [name]: gone, ...rest } = shown;
          const now = faultsOf(schema, given(next), text)[name];
          return now === undefined ? rest : { ...rest, [name]: now };
        });
        return next;
      });
    },
    [schema, text],
  );

  const prefill = useCallback((name: string, value: unknown) => {
    const fillWith = (known: unknown) => {
      const fill = (old: Values) => (old[name] === undefined ? { ...old, [name]: known } : old);
      setStart(fill);
      setValues(fill);
    };
    if (!(value instanceof Promise)) {
      fillWith(value);
      return;
    }
    const load = value
      .catch(() => undefined)
      .then((known) => {
        // A newer value for the field replaces this one.
        if (loading.current.get(name) === load) loading.current.delete(name);
        fillWith(known);
        return known;
      });
    loading.current.set(name, load);
  }, []);

  /** The values without empty fields, after those that are still loading have arrived. */
  async function complete(): Promise<Values> {
    const loaded = await Promise.all([...loading.current].map(async ([name, load]) => [name, await load]));
    return given({ ...Object.fromEntries(loaded), ...given(values) });
  }

  // If the saved values change outside the form (by a save or a reload), fields without input take the new
  // values and input is kept.
  const [adopted, setAdopted] = useState(initial);
  if (!same(adopted, initial)) {
    setAdopted(initial);
    setStart(initial);
    setValues((old) => {
      const untouched = Object.keys({ ...old, ...initial }).filter((name) => same(old[name], start[name]));
      return { ...old, ...Object.fromEntries(untouched.map((name) => [name, (initial as Values)[name]])) };
    });
  }

  const dirty = useMemo(
    () =>
      [...new Set([...Object.keys(values), ...Object.keys(start)])].some(
        (name) => !same(values[name], start[name]),
      ),
    [values, start],
  );

  const reset = useCallback(() => {
    setValues(start);
    setFaults({});
    setFailure(null);
  }, [start]);

  async function send(): Promise<boolean> {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    try {
      const sent = await complete();
      const wrong = faultsOf(schema, sent, text);
      setFaults(wrong);
      setFailure(null);
      if (Object.keys(wrong).length > 0) {
        setRefusals((count) => count + 1);
        return false;
      }
      await submit(sent as z.input<S>);
      setStart({ ...values, ...sent });
      return true;
    } catch (error) {
      const fields = serverFaults(error, faultFields);
      const known = Object.keys(fields).filter((name) => name in schema.shape);
      setFaults(Object.fromEntries(known.map((name) => [name, fields[name] ?? ''])));
      if (known.length === 0)
        setFailure(error instanceof Error ? error.message : text('common.failure.unknown'));
      setRefusals((count) => count + 1);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  }

  return { schema, values, set, prefill, faults, failure, dirty, busy, submit: send, reset, refusals };
}

function same(a: unknown, b: unknown): boolean {
  const blank = (value: unknown) => (value === undefined || value === null ? '' : value);
  if (a instanceof Blob || b instanceof Blob) return a === b;
  return JSON.stringify(blank(a)) === JSON.stringify(blank(b));
}
