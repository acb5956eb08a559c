/** Messages that server and fleet send to the launcher over the IPC channel. */
export type ChildMessage =
  | { type: 'progress'; text: string }
  | {
      type: 'ready';
      url?: string;
      accounts?: Account[];
      /** One-time setup link for the first administrator; absent if there is one already. */
      setupUrl?: string;
    };

/** An account of the demo; its password is public. */
export interface Account {
  username: string;
  password: string;
  role: string;
}

export function isChildMessage(message: unknown): message is ChildMessage {
  const type = (message as { type?: unknown } | null)?.type;
  return type === 'progress' || type === 'ready';
}
