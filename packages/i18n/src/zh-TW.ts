import account from '../locales/zh-TW/account.json' with { type: 'json' };
import alarms from '../locales/zh-TW/alarms.json' with { type: 'json' };
import apitool from '../locales/zh-TW/apitool.json' with { type: 'json' };
import asset from '../locales/zh-TW/asset.json' with { type: 'json' };
import assets from '../locales/zh-TW/assets.json' with { type: 'json' };
import authorizations from '../locales/zh-TW/authorizations.json' with { type: 'json' };
import calibration from '../locales/zh-TW/calibration.json' with { type: 'json' };
import commands from '../locales/zh-TW/commands.json' with { type: 'json' };
import common from '../locales/zh-TW/common.json' with { type: 'json' };
import curve from '../locales/zh-TW/curve.json' with { type: 'json' };
import devices from '../locales/zh-TW/devices.json' with { type: 'json' };
import dictionary from '../locales/zh-TW/dictionary.json' with { type: 'json' };
import errors from '../locales/zh-TW/errors.json' with { type: 'json' };
import login from '../locales/zh-TW/login.json' with { type: 'json' };
import logs from '../locales/zh-TW/logs.json' with { type: 'json' };
import mailbox from '../locales/zh-TW/mailbox.json' with { type: 'json' };
import maintenance from '../locales/zh-TW/maintenance.json' with { type: 'json' };
import mappings from '../locales/zh-TW/mappings.json' with { type: 'json' };
import menu from '../locales/zh-TW/menu.json' with { type: 'json' };
import messages from '../locales/zh-TW/messages.json' with { type: 'json' };
import monitor from '../locales/zh-TW/monitor.json' with { type: 'json' };
import operations from '../locales/zh-TW/operations.json' with { type: 'json' };
import organizations from '../locales/zh-TW/organizations.json' with { type: 'json' };
import packets from '../locales/zh-TW/packets.json' with { type: 'json' };
import realtime from '../locales/zh-TW/realtime.json' with { type: 'json' };
import records from '../locales/zh-TW/records.json' with { type: 'json' };
import register from '../locales/zh-TW/register.json' with { type: 'json' };
import reminders from '../locales/zh-TW/reminders.json' with { type: 'json' };
import roles from '../locales/zh-TW/roles.json' with { type: 'json' };
import settings from '../locales/zh-TW/settings.json' with { type: 'json' };
import shell from '../locales/zh-TW/shell.json' with { type: 'json' };
import stats from '../locales/zh-TW/stats.json' with { type: 'json' };
import upgrade from '../locales/zh-TW/upgrade.json' with { type: 'json' };
import users from '../locales/zh-TW/users.json' with { type: 'json' };
import validation from '../locales/zh-TW/validation.json' with { type: 'json' };
import validations from '../locales/zh-TW/validations.json' with { type: 'json' };
import webcams from '../locales/zh-TW/webcams.json' with { type: 'json' };
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
