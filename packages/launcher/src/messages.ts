/** Messages of server and fleet to their launcher over the IPC channel. */
export type ChildMessage =
  | { type: 'progress'; text: string }
  | {
      type: 'ready';
      url?: string;
      accounts?: Account[];
      /** One-time setup link for the first administrator, if there is none. */
      setupUrl?: string;
    };

/** A demo account; its password is public. */
export interface Account {
  username: string;
  password: string;
  role: string;
}

export function isChildMessage(message: unknown): message is ChildMessage {
  const type = (message as { type?: unknown } | null)?.type;
  return type === 'progress' || type === 'ready';
}
