import { FIRST_PAGE } from '@isotherm/domain/screens/layout';
import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on smart screens, each with its own screen of an organisation that tries the service. */
export function screenSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const pages = [{ tiles: FIRST_PAGE.map((tile) => ({ ...tile, text: '' })) }];
  const screen = (name = unique()) =>
    one(
      `with tried as (
         insert into premium_service (organization_id, service, trial_started_at, changed_by, changed_at)
         values ($1, 'smart-screen', now(), 'test', now())
         on conflict (organization_id, service) do update set trial_started_at = now() returning organization_id)
       insert into screen (organization_id, name, pages, page_seconds, changed_by, changed_at)
       select organization_id, $2, $3, 30, 'test', now() from tried returning id`,
      [demo, name, JSON.stringify(pages)],
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
  };
}
