import { ledgerPerSecond } from './ledger-rate.ts';
import { describeMachine, perform } from './stage.ts';

await perform(async ({ pool }) => {
  console.log(await describeMachine(pool));
  return ledgerPerSecond(pool);
});
