import { code, email, label, orNone } from '@isotherm/contracts/fields';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { SelectField } from './choice-fields.tsx';
import { useFormContext } from './form-context.ts';
import { FormDrawer, FormSection } from './form-drawer.tsx';
import { NumberField, TextField } from './text-fields.tsx';

const schema = z.strictObject({
  code,
  name: label(10),
  email: orNone(email).default(''),
  share: z.number().int().min(1).optional(),
  level: z.enum(['high', 'low']),
});
type Values = z.input<typeof schema>;

async function drawer(initial: Partial<Values> = {}, submit = vi.fn(async (_: Values) => undefined)) {
  const onClose = vi.fn();
  const drawn = await renderPage(
    <FormDrawer
      title="Add a thing"
      submitLabel="Add"
      schema={schema}
      initial={initial}
      submit={submit}
      onClose={onClose}
    >
      <FormSection title="Identity">
        <TextField name="code" label="Code" help="As printed on it." />
        <TextField name="name" label="Name" />
        <TextField name="email" label="E-mail" />
        <NumberField name="share" label="Share" unit="%" />
        <SelectField
          name="level"
          label="Level"
          options={[
            { value: 'high', label: 'High' },
            { value: 'low', label: 'Low' },
          ]}
        />
      </FormSection>
    </FormDrawer>,
  );
  return { ...drawn, submit, onClose };
}

const add = () => userEvent.click(screen.getByRole('button', { name: 'Add' }));

it('each error is shown with the text of the server, the errors are counted, and the first one gets the focus', async () => {
  const { submit } = await drawer({ level: 'high' });
  await userEvent.type(screen.getByLabelText(/^Code/), 'A 1');
  await userEvent.type(screen.getByLabelText('E-mail'), 'nobody');
  await userEvent.type(screen.getByLabelText('Share'), '0.5');
  await add();
  expect(screen.getByText('4 fields have errors. Your input is kept.')).toBeTruthy();
  expect(screen.getByText('Spaces are not allowed.')).toBeTruthy();
  expect(screen.getByText('Required.')).toBeTruthy();
  expect(screen.getByText('Enter a valid e-mail address.')).toBeTruthy();
  expect(screen.getByText('Enter a whole number.')).toBeTruthy();
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Code/)));
  expect(submit).not.toHaveBeenCalled();
});

it('required fields are marked by the schema alone', async () => {
  await drawer();
  expect(screen.getByLabelText(/^Name/).getAttribute('aria-required')).toBe('true');
  expect(screen.getByLabelText('E-mail').getAttribute('aria-required')).toBe('false');
});

it('an error disappears when it is corrected, and no new one appears before the next submit', async () => {
  await drawer({ level: 'high', code: 'A1' });
  await add();
  expect(screen.getByText('Required.')).toBeTruthy();
  await userEvent.type(screen.getByLabelText(/^Name/), 'Fridge');
  expect(screen.queryByText('Required.')).toBeNull();
  await userEvent.clear(screen.getByLabelText(/^Code/));
  expect(screen.queryByText('Required.')).toBeNull();
});

it('input that the schema accepts is sent, and the drawer closes', async () => {
  const { submit, onClose } = await drawer({ level: 'high' });
  await userEvent.type(screen.getByLabelText(/^Code/), 'A1');
  await userEvent.type(screen.getByLabelText(/^Name/), 'Fridge');
  await userEvent.type(screen.getByLabelText('Share'), '12');
  await add();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(submit).toHaveBeenCalledWith({ code: 'A1', name: 'Fridge', share: 12, level: 'high' });
});

/** Fills in the level as soon as it is known. */
function LevelLater({ level }: { level: Promise<string> }) {
  const { prefill } = useFormContext();
  useEffect(() => prefill('level', level), [level, prefill]);
  return null;
}

it('a submit waits for values that are still loading', async () => {
  const submit = vi.fn(async (_: Values) => undefined);
  let resolve = (_: string) => {};
  const promise = new Promise<string>((fulfil) => {
    resolve = fulfil;
  });
  await renderPage(
    <FormDrawer
      title="Add a thing"
      submitLabel="Add"
      schema={schema}
      initial={{ code: 'A-1', name: 'Fridge' }}
      submit={submit}
      onClose={() => undefined}
    >
      <LevelLater level={promise} />
    </FormDrawer>,
  );
  await add();
  expect(submit).not.toHaveBeenCalled();
  resolve('high');
  await vi.waitFor(() => expect(submit).toHaveBeenCalledWith({ code: 'A-1', name: 'Fridge', level: 'high' }));
});

it('errors of the server are shown at their field, and the input is kept', async () => {
  const refused = new ApiError('request.invalid', 'Check the fields.', 400, {
    fields: [{ field: 'code', message: 'Taken already.' }],
  });
  await drawer(
    { code: 'A1', name: 'Fridge', level: 'low' },
    vi.fn(() => Promise.reject(refused)),
  );
  await add();
  expect(await screen.findByText('Taken already.')).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Fridge');
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Code/)));
});

it('an error without a field is shown above the form', async () => {
  const refused = new ApiError('permission.denied', 'You may not do this.', 403);
  await drawer(
    { code: 'A1', name: 'Fridge', level: 'low' },
    vi.fn(() => Promise.reject(refused)),
  );
  await add();
  expect(await screen.findByText('You may not do this. Your input is kept.')).toBeTruthy();
});

it('the drawer closes at once without input, and asks if there is input', async () => {
  const { onClose } = await drawer({ level: 'high' });
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledTimes(1);
  await userEvent.type(screen.getByLabelText(/^Name/), 'F');
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledTimes(1);
  await screen.findByText('Discard your changes?');
  await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }));
  await vi.waitFor(() => expect(screen.queryByText('Discard your changes?')).toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(onClose).toHaveBeenCalledTimes(2);
});

it("the browser's Back button asks before input is discarded", async () => {
  const { router } = await drawer({ level: 'high' });
  await userEvent.type(screen.getByLabelText(/^Name/), 'F');
  void router.navigate('/?page=2');
  await screen.findByText('Discard your changes?');
  expect(router.state.location.search).toBe('');
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  await vi.waitFor(() => expect(router.state.location.search).toBe('?page=2'));
});

function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {open ? (
        <FormDrawer
          title="Add a thing"
          submitLabel="Add"
          schema={z.strictObject({ name: label(10) })}
          initial={{ name: 'Fridge' }}
          submit={async () => undefined}
          onClose={() => setOpen(false)}
        >
          <TextField name="number" label="Number" disabled />
          <TextField name="name" label="Name" />
        </FormDrawer>
      ) : null}
    </>
  );
}

it.each([
  ['Escape', () => userEvent.keyboard('{Escape}')],
  ['its close icon', () => userEvent.click(screen.getByRole('button', { name: 'Close' }))],
  ['saving', add],
])(
  'the first enabled field gets the focus, and closing by %s returns the focus to the opener',
  async (_, leave) => {
    await renderPage(<Page />);
    const opener = screen.getByRole('button', { name: 'Open' });
    await userEvent.click(opener);
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Name/)));
    await leave();
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(opener);
  },
);
