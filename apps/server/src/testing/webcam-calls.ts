import type { CallTools, Step } from './call-steps.ts';

/**
 * An address that must not be called. Permitted callers get the error for such an address, and no request is
 * sent.
 */
const REFUSED = 'http://127.0.0.1:9/live';

/** Returns the calls of cameras, each with its own camera. */
export function webcamSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const form = (kind = 'mjpeg') => ({ name: unique(), kind, address: REFUSED });
  const accountForm = () => ({ name: unique(), url: 'http://127.0.0.1:9' });
  const webcam = (kind = 'mjpeg') =>
    one(
      `insert into webcam (organization_id, name, kind, address, snapshot_at_alarm, changed_by, changed_at)
       values ($1, $2, $3, $4, false, 'test', now()) returning id`,
      [demo, unique(), kind, REFUSED],
    );
  const account = () =>
    one(
      `insert into webcam_account (organization_id, name, url, changed_by, changed_at)
       values ($1, $2, 'http://127.0.0.1:9', 'test', now()) returning id`,
      [demo, unique()],
    );
  const picture = async () =>
    one(
      `insert into webcam_snapshot (webcam_id, cause, wanted_at, taken_at, media_type, bytes)
       values ($1, 'schedule', now(), now(), 'image/webp', '\\x52494646') returning id`,
      [await webcam()],
    );
  const step =
    (make: () => Promise<number>, outside: string, more: () => Partial<Step> = () => ({})) =>
    async (): Promise<Step> => ({ params: { id: await make() }, outside, ...more() });
  const list = (make: () => Promise<number>) => async (): Promise<Step> => {
    const id = await make();
    return {
      query: { pageSize: '200' },
      holds: (data) => (data as { items: { id: number }[] }).items.some((item) => item.id === id),
    };
  };
  /** The result depends on the camera, so every status but a refusal is accepted. */
  const asked = { status: null };
  return {
    createWebcam: () => ({ json: { organizationId: demo, ...form() }, outside: 'organization.not_found' }),
    editWebcam: step(webcam, 'webcam.missing', () => ({ json: form() })),
    deleteWebcam: step(webcam, 'webcam.missing', () => ({ json: why })),
    getWebcam: step(webcam, 'webcam.missing'),
    listWebcams: list(webcam),
    testWebcam: step(webcam, 'webcam.missing'),
    readWebcamStream: step(
      () => webcam('hls'),
      'webcam.missing',
      () => asked,
    ),
    readWebcamFrames: step(webcam, 'webcam.missing', () => asked),
    beginWebcamSession: step(() => webcam('whep'), 'webcam.missing'),
    offerToWebcam: step(
      () => webcam('whep'),
      'webcam.missing',
      () => ({ ...asked, json: { sdp: 'v=0' } }),
    ),
    endWebcamSession: step(
      () => webcam('whep'),
      'webcam.missing',
      () => ({ ...asked, json: { session: 'x' } }),
    ),
    takeWebcamSnapshot: step(webcam, 'webcam.missing'),
    listWebcamSnapshots: list(picture),
    readWebcamSnapshot: step(picture, 'webcam.snapshot_missing'),
    createWebcamAccount: () => ({
      json: { organizationId: demo, ...accountForm() },
      outside: 'organization.not_found',
    }),
    editWebcamAccount: step(account, 'webcam.account_missing', () => ({ json: accountForm() })),
    deleteWebcamAccount: step(account, 'webcam.account_missing', () => ({ json: why })),
    listWebcamAccounts: list(account),
  };
}
