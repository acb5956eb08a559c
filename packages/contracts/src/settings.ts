import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { DATUMS } from '@isotherm/domain/geo/geo';
import { z } from 'zod';
import { defineRoute } from './route.ts';

export const ENVIRONMENTS = ['development', 'production', 'sandbox', 'zeek', 'scm', 'zkscool'] as const;

/**
 * Public settings that the console needs before login. The server also writes them into index.html as
 * `boot`.
 */
export const site = z.object({
  environment: z.enum(ENVIRONMENTS),
  version: z.string(),
  title: z.string(),
  collapsedTitle: z.string(),
  pageTitle: z.string(),
  copyright: z.string(),
  /** Addresses of images; '' for the product's own logo. */
  loginLogo: z.string(),
  menuLogo: z.string(),
  languagePicker: z.boolean(),
  /**
   * Salt of request signatures (decision 14). It protects against accidents and replays, and is not a
   * secret.
   */
  salt: z.string(),
  showAppDownload: z.boolean(),
  appDownloadUrl: z.string(),
  wechatAccount: z.string(),
  supportNote: z.string(),
  filing: z.string(),
  /** True if self-registration is enabled. */
  registration: z.boolean(),
  /** The configured base map (docs/maps.md); null: the built-in one. */
  map: z
    .object({
      /** Address of a MapLibre style, in which `{language}` stands for the language of its labels. */
      styleUrl: z.string(),
      darkStyleUrl: z.string().nullable(),
      datum: z.enum(DATUMS),
    })
    .nullable(),
});
export type Site = z.output<typeof site>;

export const getSite = defineRoute({
  name: 'getSite',
  method: 'GET',
  path: '/site',
  access: 'public',
  summary: 'Brand and settings of this installation',
  response: site,
});

export interface RouteObject {
  name: string;
  path: string;
  component: string;
  hidden: boolean;
  redirect?: string | undefined;
  meta: {
    title: string;
    titles?: Partial<Record<(typeof LANGUAGE_CODES)[number], string>> | undefined;
    icon?: string | undefined;
    affix: boolean;
    noCache: boolean;
    breadcrumb?: boolean | undefined;
  };
  children?: RouteObject[] | undefined;
}

export const routeObject: z.ZodType<RouteObject> = z.lazy(() =>
  z.object({
    name: z.string(),
    path: z.string(),
    component: z.string(),
    hidden: z.boolean(),
    redirect: z.string().optional(),
    /** `title` is a text key. Titles that an operator has set are in `titles`, by language. */
    meta: z.object({
      title: z.string(),
      titles: z.partialRecord(z.enum(LANGUAGE_CODES), z.string()).optional(),
      icon: z.string().optional(),
      affix: z.boolean(),
      noCache: z.boolean(),
      breadcrumb: z.boolean().optional(),
    }),
    children: z.array(routeObject).optional(),
  }),
);

export const getRouterInfo = defineRoute({
  name: 'getRouterInfo',
  method: 'GET',
  path: '/menu/routerinfo',
  access: 'signed-in',
  summary: 'Pages that the caller may open',
  query: z.object({ showall: z.enum(['true', 'false']).default('true') }),
  response: z.array(routeObject),
});

export const getPagePermissions = defineRoute({
  name: 'getPagePermissions',
  method: 'GET',
  path: '/operation/permission',
  access: 'signed-in',
  summary: 'Permissions of the caller on one page, by its route name',
  query: z.object({ menuname: z.string().min(1).max(64) }),
  response: z.object({ permissions: z.array(z.string()), unreadAnnouncements: z.number().int() }),
});

export const getSystemConfig = defineRoute({
  name: 'getSystemConfig',
  method: 'GET',
  path: '/sysconfig',
  access: 'system:view',
  summary: 'Databases behind this installation (shown in development and sandbox only)',
  response: z.array(
    z.object({ tag: z.enum(['production', 'test']), address: z.string(), database: z.string() }),
  ),
});
