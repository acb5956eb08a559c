/**
 * Who writes each table: a feature of the server, or `platform`. SQL may join any table; only the owner
 * inserts, updates and deletes (house rule 7).
 */
export const TABLE_OWNERS: Record<string, string> = {
  schema_migration: 'platform',
  used_token: 'platform',
  audit_entry: 'platform',
  audit_head: 'platform',
  message: 'platform',
  stored_image: 'platform',

  organization: 'identity',
  role: 'identity',
  role_permission: 'identity',
  account: 'identity',
  account_role: 'identity',
  session: 'identity',
  login_failure: 'identity',
  installation_key: 'identity',
  recovery_code: 'identity',
  verification_code: 'identity',
  registration: 'identity',
  registration_setting: 'identity',
  machine_authorization: 'identity',

  menu: 'settings',
  operation: 'settings',
  dictionary: 'settings',
  dictionary_item: 'settings',
  brand: 'settings',

  device: 'devices',
  sensor: 'devices',
  channel: 'devices',
  packet_counter: 'devices',
  command_batch: 'devices',
  device_command: 'devices',
  payload_mapping: 'devices',
  calibration: 'devices',
  calibration_point: 'devices',
  renewal_notice_read: 'devices',

  asset: 'assets',
  asset_file: 'assets',
  asset_group: 'assets',
  asset_group_member: 'assets',
  nfc_tag: 'assets',
  asset_file_version: 'assets',
  asset_status_change: 'assets',

  reading: 'telemetry',
  reading_default: 'telemetry',
  sealed_day: 'telemetry',
  channel_latest: 'telemetry',
  position: 'telemetry',
  rejected_message: 'telemetry',

  alarm_rule: 'alarms',
  alarm: 'alarms',
  alarm_state: 'alarms',
  outbox: 'alarms',
};
