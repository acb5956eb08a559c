import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { renderPage } from '../../testing/render-page.tsx';
import { AsyncSelectField, SelectField, SwitchField, TagsField, TreeField } from './choice-fields.tsx';
import { FormPanel } from './form-panel.tsx';

const schema = z.strictObject({
  agent: z.number().optional(),
  kinds: z.array(z.string()).optional(),
  place: z.number(),
  wanted: z.boolean().default(false),
  words: z.array(z.string()).max(2).default([]),
});
const PLACES = [
  { id: 1, parentId: null, name: 'Head office', code: 'HQ' },
  { id: 2, parentId: 1, name: 'Minhang', code: 'MH' },
  { id: 3, parentId: 2, name: 'Clinic', code: 'MH-C' },
];

async function panel(initial: Partial<z.input<typeof schema>> = {}) {
  const submit = vi.fn(async (_: z.input<typeof schema>) => undefined);
  const search = vi.fn(async (typed: string) =>
    [
      { value: 7, label: 'Agent Lin' },
      { value: 8, label: 'Agent Wu' },
    ].filter(({ label }) => label.includes(typed)),
  );
  await renderPage(
    <FormPanel schema={schema} initial={initial} submit={submit} submitLabel="Save">
      <AsyncSelectField name="agent" label="Agent" source={{ key: ['agents'], search }} />
      <SelectField
        name="kinds"
        label="Kinds"
        multiple
        options={[
          { value: 'dry', label: 'dry' },
          { value: 'cold', label: 'cold' },
        ]}
      />
      <TreeField name="place" label="Place" nodes={PLACES} />
      <SwitchField name="wanted" label="Wanted" />
      <TagsField name="words" label="Words" />
    </FormPanel>,
  );
  return { submit, search };
}

const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

it('the select requests choices while the user types', async () => {
  const { submit, search } = await panel({ place: 1 });
  await userEvent.click(screen.getByLabelText('Agent'));
  await userEvent.type(screen.getByLabelText('Agent'), 'Wu');
  await vi.waitFor(() => expect(search).toHaveBeenLastCalledWith('Wu'));
  await userEvent.click(await screen.findByTitle('Agent Wu'));
  await save();
  expect(submit).toHaveBeenCalledWith({ agent: 8, place: 1 });
});

it('a node of the tree is found by its code, and shown with its path', async () => {
  const { submit } = await panel();
  await userEvent.click(screen.getByLabelText(/^Place/));
  await userEvent.type(screen.getByLabelText(/^Place/), 'mh-c');
  await userEvent.click(await screen.findByText('Head office / Minhang'));
  await save();
  expect(submit).toHaveBeenCalledWith({ place: 3 });
});

it('Enter selects the first match of the tree', async () => {
  const { submit } = await panel();
  await userEvent.click(screen.getByLabelText(/^Place/));
  await userEvent.type(screen.getByLabelText(/^Place/), 'mh-c{Enter}');
  await save();
  expect(submit).toHaveBeenCalledWith({ place: 3 });
});

it('a missing selection is reported', async () => {
  const { submit } = await panel({ wanted: true });
  await userEvent.click(screen.getByRole('switch', { name: 'Wanted' }));
  await save();
  expect(screen.getByText('Required.')).toBeTruthy();
  expect(submit).not.toHaveBeenCalled();
});

it('several words are accepted, up to the limit of the schema', async () => {
  const { submit } = await panel({ place: 1 });
  await userEvent.type(screen.getByLabelText('Words'), 'cold,dry,dark,');
  await save();
  expect(screen.getByText('At most 2 are allowed.')).toBeTruthy();
  // The word is removed by its close icon, because for a quarter of a second after a word the select applies
  // Backspace to the text.
  await userEvent.click(document.querySelectorAll('.ant-select-selection-item-remove')[2] as Element);
  await save();
  expect(submit).toHaveBeenCalledWith({ place: 1, words: ['cold', 'dry'] });
});

it('Tab leaves a multiple selection without selecting the marked option', async () => {
  const { submit } = await panel({ place: 1 });
  const box = screen.getByRole('combobox', { name: 'Kinds' });
  await userEvent.type(box, 'cold');
  await userEvent.click(await screen.findByTitle('cold'));
  await userEvent.tab();
  await save();
  await vi.waitFor(() => expect(submit).toHaveBeenCalledWith(expect.objectContaining({ kinds: ['cold'] })));
});
