import { newDevice } from '@isotherm/contracts/device-registry';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { SensorsField } from './sensors-field.tsx';

const schema = z.strictObject({ sensors: newDevice.shape.sensors });

it('after a refused save, the sensor without a name is outlined and has the focus, and no other', async () => {
  const submit = vi.fn(async () => undefined);
  await renderPage(
    <FormPanel
      schema={schema}
      initial={{
        sensors: [
          { name: 'Air', indicators: ['temperature'] },
          { name: '', indicators: ['temperature'] },
        ],
      }}
      submit={submit}
      submitLabel="Save"
    >
      <SensorsField name="sensors" />
    </FormPanel>,
  );
  const nameOf = (index: number) =>
    within(screen.getByRole('group', { name: `Sensor ${index}` })).getByLabelText('Sensor name');
  expect(nameOf(2).getAttribute('aria-invalid')).toBe('false');

  await userEvent.type(nameOf(1), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(submit).not.toHaveBeenCalled();
  expect(nameOf(1).getAttribute('aria-invalid')).toBe('false');
  expect(nameOf(2).getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(nameOf(2));

  await userEvent.type(nameOf(2), 'Probe');
  expect(nameOf(2).getAttribute('aria-invalid')).toBe('false');
});
