import { acknowledgeAlarm, getAlarm } from '@isotherm/contracts/alarms';
import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import { decryptPassword } from '@isotherm/contracts/password-cipher';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { SignatureDialog } from '../../shared/signature/signature-dialog.tsx';
import { anAlarm } from '../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { answerPublicKey } from '../../shared/testing/password-key.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { AcknowledgeForm } from './acknowledge-form.tsx';

interface Sent {
  signature?: { password: string };
}

async function form() {
  const fake = fakeServer();
  const alarm = anAlarm({ required: [], mustSign: true });
  holding(fake, 'alarm-current:view', 'alarm-current:acknowledge');
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(getAlarm, () => alarm);
  const privateKey = answerPublicKey(fake);
  fake.answer(acknowledgeAlarm, ({ json }) => {
    const { signature } = json as Sent;
    if (!signature) return new Refusal('signing.required', 'This action must be signed.', 422);
    if (decryptPassword(privateKey, signature.password)?.password !== 'correct')
      return new Refusal('signing.wrong', 'The password is wrong.', 422);
    return alarm;
  });
  await renderPage(
    <>
      <AcknowledgeForm alarm={alarm} />
      <SignatureDialog />
    </>,
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Sign electronically' }));
  return { fake, dialog };
}

it('the dialog asks for the password where the server requires a signature, and again if it is wrong', async () => {
  const { fake, dialog } = await form();
  expect(dialog.getByText(/take responsibility/)).toBeTruthy();
  await userEvent.type(dialog.getByLabelText('Password'), 'guessed');
  await userEvent.click(dialog.getByRole('button', { name: 'Sign' }));
  expect(await dialog.findByText('The password is wrong.')).toBeTruthy();
  await userEvent.type(dialog.getByLabelText('Password'), 'correct');
  await userEvent.click(dialog.getByRole('button', { name: 'Sign' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const sent = fake.called(acknowledgeAlarm).map(({ asked }) => (asked.json as Sent).signature);
  expect(sent.map((signature) => signature === undefined)).toEqual([true, false, false]);
  expect(JSON.stringify(sent)).not.toContain('correct');
});

it('whoever cancels the dialog is told that nothing was changed', async () => {
  const { fake, dialog } = await form();
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText(/Not signed\. Nothing was changed\./)).toBeTruthy();
  expect(fake.called(acknowledgeAlarm)).toHaveLength(1);
});
