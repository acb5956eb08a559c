import account from '../locales/en/account.json' with { type: 'json' };
import alarms from '../locales/en/alarms.json' with { type: 'json' };
import apitool from '../locales/en/apitool.json' with { type: 'json' };
import asset from '../locales/en/asset.json' with { type: 'json' };
import assets from '../locales/en/assets.json' with { type: 'json' };
import authorizations from '../locales/en/authorizations.json' with { type: 'json' };
import calibration from '../locales/en/calibration.json' with { type: 'json' };
import commands from '../locales/en/commands.json' with { type: 'json' };
import common from '../locales/en/common.json' with { type: 'json' };
import curve from '../locales/en/curve.json' with { type: 'json' };
import devices from '../locales/en/devices.json' with { type: 'json' };
import dictionary from '../locales/en/dictionary.json' with { type: 'json' };
import errors from '../locales/en/errors.json' with { type: 'json' };
import login from '../locales/en/login.json' with { type: 'json' };
import logs from '../locales/en/logs.json' with { type: 'json' };
import mailbox from '../locales/en/mailbox.json' with { type: 'json' };
import maintenance from '../locales/en/maintenance.json' with { type: 'json' };
import mappings from '../locales/en/mappings.json' with { type: 'json' };
import menu from '../locales/en/menu.json' with { type: 'json' };
import messages from '../locales/en/messages.json' with { type: 'json' };
import monitor from '../locales/en/monitor.json' with { type: 'json' };
import operations from '../locales/en/operations.json' with { type: 'json' };
import organizations from '../locales/en/organizations.json' with { type: 'json' };
import packets from '../locales/en/packets.json' with { type: 'json' };
import realtime from '../locales/en/realtime.json' with { type: 'json' };
import records from '../locales/en/records.json' with { type: 'json' };
import register from '../locales/en/register.json' with { type: 'json' };
import reminders from '../locales/en/reminders.json' with { type: 'json' };
import roles from '../locales/en/roles.json' with { type: 'json' };
import settings from '../locales/en/settings.json' with { type: 'json' };
import shell from '../locales/en/shell.json' with { type: 'json' };
import stats from '../locales/en/stats.json' with { type: 'json' };
import upgrade from '../locales/en/upgrade.json' with { type: 'json' };
import users from '../locales/en/users.json' with { type: 'json' };
import validation from '../locales/en/validation.json' with { type: 'json' };
import validations from '../locales/en/validations.json' with { type: 'json' };
import webcams from '../locales/en/webcams.json' with { type: 'json' };
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
