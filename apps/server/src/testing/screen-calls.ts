import { newTile, type ScreenTile } from '@isotherm/contracts/screens';
import { FIRST_PAGE } from '@isotherm/domain/screens/layout';
import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on smart screens, each with its own screen of an organisation that tries the service. */
export function screenSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const pages = [{ tiles: FIRST_PAGE.map(newTile) }];
  const screen = (name = unique(), shown: readonly { tiles: readonly ScreenTile[] }[] = pages) =>
    one(
      `with tried as (
         insert into premium_service (organization_id, service, trial_started_at, changed_by, changed_at)
         values ($1, 'smart-screen', now(), 'test', now())
         on conflict (organization_id, service) do update set trial_started_at = now() returning organization_id)
       insert into screen (organization_id, name, pages, page_seconds, changed_by, changed_at)
       select organization_id, $2, $3, 30, 'test', now() from tried returning id`,
      [demo, name, JSON.stringify(shown)],
    );
  const input = () => ({ organizationId: demo, name: unique(), pages, pageSeconds: 30, dim: null });
  const outside = 'screen.not_found';
  const onOne = (json?: object) => async (): Promise<Step> => ({
    params: { id: await screen() },
    ...(json ? { json } : {}),
    outside,
  });
  return {
    async listScreens() {
      const name = unique();
      await screen(name);
      return { query: { search: name }, holds: (data) => (data as { total: number }).total > 0 };
    },
    getScreen: onOne(),
    createScreen: () => ({ json: input(), outside: 'organization.not_found' }),
    editScreen: async () => ({ params: { id: await screen() }, json: input(), outside }),
    deleteScreen: onOne(why),
    createScreenLink: onOne({ days: 1 }),
    async revokeScreenLink() {
      const id = await screen();
      const linkId = await one(
        `insert into public_link (token_hash, purpose, subject_id, created_at, expires_at)
         values (sha256(convert_to($1, 'UTF8')), 'screen', $2, now(), now() + interval '1 day') returning id`,
        [unique(), id],
      );
      return { params: { id, linkId }, outside };
    },
    readScreen: onOne(),
    async readScreenPicture() {
      const webcamId = await one(
        `insert into webcam (organization_id, name, kind, address, snapshot_at_alarm, changed_by, changed_at)
         values ($1, $2, 'mjpeg', 'http://127.0.0.1:9/live', false, 'test', now()) returning id`,
        [demo, unique()],
      );
      const pictureId = await one(
        `insert into webcam_snapshot (webcam_id, cause, wanted_at, taken_at, media_type, bytes)
         values ($1, 'schedule', now(), now(), 'image/webp', '\\x52494646') returning id`,
        [webcamId],
      );
      const tile = newTile({ kind: 'camera', x: 0, y: 0, width: 12, height: 8 });
      const id = await screen(unique(), [{ tiles: [{ ...tile, webcamId }] }]);
      return { params: { id, pictureId }, outside };
    },
  };
}
