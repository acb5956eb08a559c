import type { Session, TestServer } from './test-server.ts';

/**
 * Returns the code in the latest message to a number, read from the mailbox page as `reader` sees it. Waits
 * for the worker that writes it.
 */
export async function codeSentTo(server: TestServer, reader: Session, phone: string): Promise<string> {
  for (let tries = 0; tries < 50; tries++) {
    const { data } = await server.call<{ items: { text: string }[] }>({
      path: '/api/mailbox',
      query: { search: phone },
      session: reader,
    });
    const code = /\d{6}/.exec(data.items[0]?.text ?? '')?.[0];
    if (code) return code;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no code was sent to ${phone}`);
}
