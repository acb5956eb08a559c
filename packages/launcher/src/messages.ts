/** What server and fleet tell their launcher over the IPC channel. */
export type ChildMessage =
  | { type: 'progress'; text: string }
  | {
      type: 'ready';
      url?: string;
      accounts?: Account[];
      /** One-time link that makes the first administrator, when there is none. */
      setupUrl?: string;
    };

/** A demo account; the sign-in data is no secret. */
export interface Account {
  username: string;
  password: string;
  role: string;
}

export function isChildMessage(message: unknown): message is ChildMessage {
  const type = (message as { type?: unknown } | null)?.type;
  return type === 'progress' || type === 'ready';
}
