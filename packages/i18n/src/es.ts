import account from '../locales/es/account.json' with { type: 'json' };
import alarms from '../locales/es/alarms.json' with { type: 'json' };
import apitool from '../locales/es/apitool.json' with { type: 'json' };
import asset from '../locales/es/asset.json' with { type: 'json' };
import assets from '../locales/es/assets.json' with { type: 'json' };
import authorizations from '../locales/es/authorizations.json' with { type: 'json' };
import calibration from '../locales/es/calibration.json' with { type: 'json' };
import commands from '../locales/es/commands.json' with { type: 'json' };
import common from '../locales/es/common.json' with { type: 'json' };
import curve from '../locales/es/curve.json' with { type: 'json' };
import devices from '../locales/es/devices.json' with { type: 'json' };
import dictionary from '../locales/es/dictionary.json' with { type: 'json' };
import errors from '../locales/es/errors.json' with { type: 'json' };
import login from '../locales/es/login.json' with { type: 'json' };
import logs from '../locales/es/logs.json' with { type: 'json' };
import mailbox from '../locales/es/mailbox.json' with { type: 'json' };
import maintenance from '../locales/es/maintenance.json' with { type: 'json' };
import mappings from '../locales/es/mappings.json' with { type: 'json' };
import menu from '../locales/es/menu.json' with { type: 'json' };
import messages from '../locales/es/messages.json' with { type: 'json' };
import monitor from '../locales/es/monitor.json' with { type: 'json' };
import operations from '../locales/es/operations.json' with { type: 'json' };
import organizations from '../locales/es/organizations.json' with { type: 'json' };
import packets from '../locales/es/packets.json' with { type: 'json' };
import realtime from '../locales/es/realtime.json' with { type: 'json' };
import records from '../locales/es/records.json' with { type: 'json' };
import register from '../locales/es/register.json' with { type: 'json' };
import reminders from '../locales/es/reminders.json' with { type: 'json' };
import roles from '../locales/es/roles.json' with { type: 'json' };
import settings from '../locales/es/settings.json' with { type: 'json' };
import shell from '../locales/es/shell.json' with { type: 'json' };
import stats from '../locales/es/stats.json' with { type: 'json' };
import upgrade from '../locales/es/upgrade.json' with { type: 'json' };
import users from '../locales/es/users.json' with { type: 'json' };
import validation from '../locales/es/validation.json' with { type: 'json' };
import validations from '../locales/es/validations.json' with { type: 'json' };
import webcams from '../locales/es/webcams.json' with { type: 'json' };
import type { Catalogue } from './languages.ts';

export const catalogue: Catalogue = {
  ...account,
  ...alarms,
  ...apitool,
  ...asset,
  ...assets,
  ...authorizations,
  ...calibration,
  ...commands,
  ...common,
  ...curve,
  ...devices,
  ...dictionary,
  ...errors,
  ...login,
  ...logs,
  ...mailbox,
  ...maintenance,
  ...mappings,
  ...menu,
  ...messages,
  ...monitor,
  ...operations,
  ...organizations,
  ...packets,
  ...realtime,
  ...records,
  ...register,
  ...reminders,
  ...roles,
  ...settings,
  ...shell,
  ...stats,
  ...upgrade,
  ...users,
  ...validation,
  ...validations,
  ...webcams,
};
