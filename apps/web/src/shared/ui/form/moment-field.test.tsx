import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { FormDrawer } from './form-drawer.tsx';
import { MomentField } from './moment-field.tsx';
import { TextField } from './text-fields.tsx';

async function form(submit: () => Promise<unknown>) {
  await renderPage(
    <FormDrawer
      title="Form"
      submitLabel="Save"
      schema={z.object({ name: z.string(), from: z.string() })}
      initial={{ name: 'Study' }}
      submit={submit}
      faultFields={{ 'study.taken': 'name' }}
      onClose={() => undefined}
    >
      <TextField name="name" label="Name" />
      <MomentField name="from" label="From" />
    </FormDrawer>,
  );
  return screen.getByLabelText<HTMLInputElement>(/From/);
}

it('Enter accepts the typed time without submitting the form', async () => {
  const submit = vi.fn(async () => undefined);
  const from = await form(submit);
  await userEvent.type(from, '2026-11-20 08:00{Enter}');
  expect(submit).not.toHaveBeenCalled();
  expect(from.value).toBe('20 Nov 2026 08:00');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(submit).toHaveBeenCalledOnce();
});

it('if the server refuses the form while a time field has the focus, the focus moves to the field with the error', async () => {
  let refuse: (reason: unknown) => void = () => undefined;
  const from = await form(
    () =>
      new Promise((_, no) => {
        refuse = no;
      }),
  );
  await userEvent.type(from, '2026-11-20 08:00{Enter}');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await userEvent.click(from);
  const thrown = vi.fn();
  window.addEventListener('error', thrown);
  refuse(new ApiError('study.taken', 'There is one of this name.', 409));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/Name/)));
  window.removeEventListener('error', thrown);
  expect(thrown).not.toHaveBeenCalled();
});
