/** States of a message in the list of messages (requirements §4). */
export const MESSAGE_STATES = [
  'success',
  'unsent',
  'failed',
  'in-progress',
  'backlogged',
  'pending',
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];
