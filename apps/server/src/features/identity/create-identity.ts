import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { FindCaller, FindMachine, Mount } from '../../platform/http/mount.ts';
import type { Images } from '../../platform/images/images.ts';
import type { Imports } from '../../platform/imports/imports.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { UsedTokens } from '../../platform/used-tokens.ts';
import { mountAccount } from './account/account.routes.ts';
import { createAccountService } from './account/account.service.ts';
import { mountAuthorizations } from './authorizations/authorizations.routes.ts';
import { createAuthorizationsService } from './authorizations/authorizations.service.ts';
import { createIdentityJobs } from './identity.job.ts';
import { type Attempts, createAttempts } from './login/attempts.ts';
import { mountLogin } from './login/login.routes.ts';
import { createLoginService } from './login/login.service.ts';
import { createPasswords } from './login/passwords.ts';
import { createPuzzles } from './login/puzzle.ts';
import { createSecondFactor } from './login/second-factor.ts';
import { createSessions, findSocketUser, type SocketUser } from './login/sessions.ts';
import { createSetup } from './login/setup.ts';
import { mountOrganizations } from './organizations/organizations.routes.ts';
import { createOrganizationsService } from './organizations/organizations.service.ts';
import { mountRegistration } from './registration/registration.routes.ts';
import { createRegistrationService } from './registration/registration.service.ts';
import { mountRoles } from './roles/roles.routes.ts';
import { createRolesService } from './roles/roles.service.ts';
import { type DemoAccount, seedDemo } from './seed.ts';
import { createSignatures, type Signatures } from './signatures/signatures.ts';
import { createUserSheets } from './users/user-sheets.ts';
import { mountUsers } from './users/users.routes.ts';
import { createUsersService } from './users/users.service.ts';
import { mountVerification } from './verification/verification.routes.ts';
import { createVerification } from './verification/verification.service.ts';

export interface IdentityNeeds {
  pool: pg.Pool;
  sealing: Sealing;
  usedTokens: UsedTokens;
  invalidations: Invalidations;
  audit: Audit;
  messages: Messages;
  images: Images;
  clock: Clock;
  translate: Translate;
  running: Pick<Imports, 'run'>;
  /** Name that authenticators show next to the account name. */
  issuer: string;
  /** Returns the address of the logo on printed reports of an organisation; '' if it has none. */
  reportLogo(organizationId: number): Promise<string>;
}

/** Services for accounts, sessions, roles and organisations. */
export interface Identity {
  findCaller: FindCaller;
  findMachine: FindMachine;
  /** Returns the user of a one-time WebSocket ticket; null if it is wrong, used or expired. */
  admitSocket(username: string, ticket: string): Promise<SocketUser | null>;
  /** Returns the current user of a session's WebSocket; null if the session has ended or may not use it. */
  socketUserNow(sessionId: string, username: string): Promise<SocketUser | null>;
  /** Returns an account with its current rights, without a session; null if it may no longer sign in. */
  callerNow(username: string, language: Language): Promise<Caller | null>;
  /** Invalidates cached callers after a change of roles. */
  forgetCallers(): void;
  /** Returns whether self-registration is enabled. */
  registrationIsOpen(): Promise<boolean>;
  /** Returns the path of the one-time setup link; null if the installation has accounts. */
  setupLink(): Promise<string | null>;
  seedDemo(): Promise<DemoAccount[]>;
  /** Electronic signatures under records of other features. */
  signatures: Signatures;
  /** Rate limit that other features use. */
  limit: Attempts['limit'];
  mount(mount: Mount): void;
  jobs: readonly Job[];
}

export async function createIdentity(needs: IdentityNeeds): Promise<Identity> {
  const { pool, sealing, usedTokens, invalidations, audit, messages, images, clock, translate } = needs;
  const { running, issuer, reportLogo } = needs;
  const passwords = await createPasswords(pool, sealing, usedTokens, clock);
  const sessions = createSessions(pool, sealing, usedTokens, invalidations, clock);
  const puzzles = createPuzzles(sealing, usedTokens, clock);
  const setup = createSetup(pool, passwords, sealing, audit);
  const attempts = createAttempts(pool, clock);
  const secondFactor = createSecondFactor(sealing, clock);
  const verification = createVerification(pool, messages, sealing, clock);
  const registration = createRegistrationService({
    pool,
    attempts,
    audit,
    clock,
    passwords,
    messages,
    verification,
  });
  const authorizations = createAuthorizationsService(pool, audit, attempts, clock);

  return {
    findCaller: sessions.findCaller,
    findMachine: authorizations.findMachine,
    admitSocket: (username, ticket) => findSocketUser(pool, sessions, username, ticket),
    socketUserNow: sessions.current,
    callerNow: sessions.callerNow,
    forgetCallers: sessions.forgetCallers,
    registrationIsOpen: registration.isOpen,
    setupLink: setup.link,
    seedDemo: () => seedDemo(pool, passwords),
    signatures: createSignatures({ pool, passwords, audit, sealing, clock }),
    limit: attempts.limit,
    mount(mount) {
      const login = createLoginService({
        pool,
        passwords,
        sessions,
        puzzles,
        secondFactor,
        attempts,
        audit,
        clock,
        reportLogo,
      });
      mountLogin(mount, { service: login, passwords, puzzles, sessions });
      setup.mount(mount);
      mountOrganizations(mount, createOrganizationsService(pool, audit, sessions.forgetCallers));
      mountRoles(mount, createRolesService(pool, audit, clock, sessions.forgetCallers));
      const users = createUsersService({ pool, audit, clock, passwords, sessions, translate });
      mountUsers(mount, users, createUserSheets({ pool, users, audit, translate, running }));
      const account = createAccountService({
        pool,
        audit,
        attempts,
        images,
        passwords,
        secondFactor,
        sessions,
        verification,
        issuer,
      });
      mountAccount(mount, account, sessions, clock);
      mountVerification(mount, {
        pool,
        attempts,
        audit,
        passwords,
        sessions,
        verification,
        registrationIsOpen: registration.isOpen,
      });
      mountRegistration(mount, registration);
      mountAuthorizations(mount, authorizations);
    },
    jobs: createIdentityJobs(pool, usedTokens, clock),
  };
}
