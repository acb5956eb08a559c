import { newDevice } from '@isotherm/contracts/device-registry';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { SensorsField } from './sensors-field.tsx';

const schema = z.strictObject({ sensors: newDevice.shape.sensors });

it('after a refused save, what a sensor lacks is outlined and has the focus, and nothing else', async () => {
  const submit = vi.fn(async () => undefined);
  await renderPage(
    <FormPanel
      schema={schema}
      initial={{
        sensors: [
          { name: 'Air', indicators: ['temperature'] },
          { name: '', indicators: ['temperature'] },
          { name: 'Door', indicators: [] },
        ],
      }}
      submit={submit}
      submitLabel="Save"
    >
      <SensorsField name="sensors" />
    </FormPanel>,
  );
  const control = (index: number, label: string) =>
    within(screen.getByRole('group', { name: `Sensor ${index}` })).getByLabelText(label);
  const nameOf = (index: number) => control(index, 'Sensor name');
  const isInvalid = (index: number, label: string) => control(index, label).getAttribute('aria-invalid');
  expect(isInvalid(2, 'Sensor name')).toBe('false');

  await userEvent.type(nameOf(1), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(submit).not.toHaveBeenCalled();
  expect(isInvalid(1, 'Sensor name')).toBe('false');
  expect(isInvalid(2, 'Sensor name')).toBe('true');
  expect(document.activeElement).toBe(nameOf(2));

  expect(isInvalid(1, 'Measures')).toBe('false');
  expect(isInvalid(3, 'Measures')).toBe('true');

  await userEvent.type(nameOf(2), 'Probe');
  expect(isInvalid(2, 'Sensor name')).toBe('false');
});
