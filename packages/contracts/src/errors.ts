import type { FieldFault, ValidationRule } from './validation.ts';

/**
 * The error catalogue: the HTTP status of each code. The code is the `status` of the JSON response, and
 * `errors.<code>` is the key of its message in `locales/<language>/errors.json` (decision 18, requirements
 * §8). The requirements define `-9`: the login needs the slider puzzle.
 */
export const ERRORS = {
  '-9': 401,
  'request.invalid': 400,
  'request.malformed': 400,
  'request.too_large': 413,
  'request.not_found': 404,
  'request.method': 405,
  'request.too_many': 429,
  'request.media_type': 400,
  'signature.missing': 401,
  'signature.wrong': 401,
  'signature.skewed': 401,
  'signature.replayed': 409,
  'session.missing': 401,
  'session.wrong': 401,
  'session.expired': 401,
  'session.password_change_due': 403,
  'login.wrong': 401,
  'login.cipher': 400,
  'login.nonce': 400,
  'login.locked': 429,
  'login.disabled': 403,
  /** The password was right, and a code of the authenticator app is required. */
  'login.second_factor': 401,
  'login.second_factor_wrong': 401,
  'login.pending': 403,
  'session.second_factor_due': 403,
  'code.wrong': 422,
  'code.expired': 422,
  'code.too_soon': 429,
  'second_factor.required': 409,
  'second_factor.none': 409,
  'second_factor.standing': 409,
  'account.mobile_needs_code': 422,
  'user.not_found': 404,
  'user.username_taken': 409,
  'user.self': 409,
  'user.type': 403,
  'user.in_use': 409,
  'organization.not_found': 404,
  'organization.code_taken': 409,
  'organization.level': 422,
  'organization.circle': 422,
  'organization.root': 422,
  'organization.in_use': 409,
  'role.not_found': 404,
  'role.name_taken': 409,
  'role.system': 409,
  'role.own': 409,
  'role.in_use': 409,
  'role.escalation': 403,
  'registration.closed': 403,
  'registration.not_found': 404,
  'registration.decided': 409,
  'registration.role': 422,
  'authorization.not_found': 404,
  'authorization.wrong': 401,
  'authorization.code': 422,
  'authorization.ended': 409,
  'authorization.not_renewable': 409,
  'authorization.username': 409,
  'import.format': 422,
  /** Someone else registered the same record in the meantime. */
  'import.overtaken': 409,
  'import.columns': 422,
  'import.too_many_rows': 422,
  /** The import has not started, has ended, or belongs to someone else. */
  'import.not_running': 404,
  'import.under_way': 409,
  'import.cancelled': 409,
  'menu.not_found': 404,
  'menu.name_taken': 409,
  'menu.system': 409,
  'menu.circle': 422,
  'menu.has_children': 409,
  'operation.not_found': 404,
  'operation.code_taken': 409,
  'operation.system': 409,
  'dictionary.not_found': 404,
  'dictionary.code_taken': 409,
  'dictionary.system': 409,
  'brand.not_found': 404,
  'brand.taken': 409,
  'brand.fallback': 409,
  'log.not_found': 404,
  'packet.not_found': 404,
  'message.no_transport': 503,
  'upload.format': 422,
  'upload.too_large': 413,
  'upload.unreadable': 422,
  'password.wrong': 422,
  'password.same': 422,
  /** The public link is unknown, expired or revoked. */
  'link.not_found': 404,
  /** The link was used, or does not acknowledge this alarm. */
  'link.refused': 409,
  /** The PIN of the recipient is wrong; `left` more can be entered. */
  'link.wrong_pin': 422,
  /** The action must be signed; the request has no signature. */
  'signing.required': 422,
  /** The password of the signature is wrong. */
  'signing.wrong': 422,
  'permission.denied': 403,
  'setup.closed': 409,
  'setup.token': 403,
  'asset.not_found': 404,
  'asset.code_taken': 409,
  /** Someone else saved the asset in the meantime. */
  'asset.changed': 409,
  'asset.in_use': 409,
  'asset.status': 409,
  'file.not_found': 404,
  'file.too_many': 409,
  'file.too_many_versions': 409,
  'nfc.not_found': 404,
  'nfc.bound': 409,
  'webcam.missing': 404,
  'webcam.taken': 409,
  'webcam.asset_elsewhere': 422,
  'webcam.account_missing': 404,
  'webcam.account_taken': 409,
  'webcam.account_in_use': 409,
  'webcam.account_elsewhere': 422,
  'webcam.password_needed': 422,
  'webcam.snapshot_missing': 404,
  /** Errors of a camera (domain: WEBCAM_FAULTS). */
  'webcam.address_refused': 422,
  'webcam.answer': 422,
  'webcam.certificate': 422,
  'webcam.elsewhere': 422,
  'webcam.no_ffmpeg': 422,
  'webcam.no_gateway': 422,
  'webcam.no_picture': 422,
  'webcam.no_snapshots': 422,
  'webcam.not_a_stream': 422,
  'webcam.not_found': 422,
  'webcam.timed_out': 422,
  'webcam.too_large': 422,
  'webcam.unauthorized': 422,
  'webcam.unknown_host': 422,
  'webcam.unreachable': 422,
  'floor_plan.not_found': 404,
  /** Someone else saved the floor plan in the meantime. */
  'floor_plan.changed': 409,
  'floor_plan.format': 422,
  'floor_plan.point': 422,
  'group.not_found': 404,
  'group.parent': 422,
  'group.has_children': 409,
  'channel.not_found': 404,
  'alarm.not_found': 404,
  'alarm.already_acknowledged': 409,
  /** A failure of a batch; a single alarm is refused with the fields that are missing. */
  'alarm.acknowledgement_incomplete': 422,
  /** The alarm has reached a level that the caller has not seen. */
  'alarm.climbed': 409,
  'alarm.already_fixed': 409,
  'alarm.already_ended': 409,
  'alarm.not_endable': 422,
  'alarm.period': 422,
  'alarm.assignee': 422,
  'curve.range': 422,
  'device.not_found': 404,
  'export.busy': 429,
  'device.number_taken': 409,
  'device.eui_taken': 409,
  'device.token_taken': 409,
  /** Someone else saved the device in the meantime. */
  'device.changed': 409,
  'device.gateway': 422,
  'device.model_mismatch': 422,
  'device.other_organization': 422,
  'device.bound': 409,
  'device.unbound': 409,
  'device.lapsed': 409,
  'device.unlimited': 409,
  'device.asset_elsewhere': 422,
  'command.not_found': 404,
  'firmware.not_found': 404,
  /** No trusted key has signed this file for this model and version. */
  'firmware.signature': 422,
  'firmware.version_taken': 409,
  'firmware.key': 422,
  'firmware.nobody': 422,
  'firmware.deed': 409,
  'sensor.not_found': 404,
  'calibration.not_found': 404,
  'calibration.taken': 409,
  'calibration.channel': 422,
  'maintenance.not_found': 404,
  'validation.not_found': 404,
  'validation.channel': 422,
  'validation.not_judged': 409,
  'validation.not_over': 409,
  'validation.no_readings': 409,
  'validation.too_many_readings': 409,
  'policy.not_found': 404,
  'policy.taken': 409,
  /** Someone else saved the policy in the meantime. */
  'policy.changed': 409,
  /** The asset whose settings are copied has no rules. */
  'alert_settings.nothing': 422,
  /** The asset has no channel of a quantity whose settings are copied. */
  'alert_settings.no_counterpart': 422,
  /** The target does not exist, or is not in the policy's organisation or one below it. */
  'policy.target': 422,
  /** A recipient does not exist, or is outside the user's scope. */
  'policy.recipient': 422,
  /** A geofence does not exist, or cannot be used by policies of the organisation. */
  'policy.fence': 422,
  /** The assignment has ended already. */
  'policy.assignment': 404,
  /** Too many back-tests are waiting. */
  'back_test.busy': 429,
  'escalation_plan.not_found': 404,
  'escalation_plan.recipient': 422,
  'escalation_plan.taken': 409,
  'on_call.change_not_found': 404,
  'on_call.not_found': 404,
  'on_call.person': 422,
  'on_call.taken': 409,
  /** The schedule is used by `count` policies. `names` are those that the caller may see. */
  'on_call.used': 409,
  'billing.package_not_found': 404,
  'billing.package_taken': 409,
  'invoice.not_found': 404,
  'invoice.issued': 409,
  'invoice.cancelled': 409,
  /** The order `order` is refunded, or being refunded. */
  'invoice.refunded': 409,
  'invoice.unpaid': 409,
  'invoice.invoiced': 409,
  'invoice.payers': 409,
  'invoice.currencies': 409,
  'premium.used': 409,
  'premium.until': 422,
  'premium.inactive': 409,
  'billing.renewal_price_not_found': 404,
  'billing.renewal_price_taken': 409,
  'billing.renewal_none': 422,
  /** The selection has more than `most` devices. */
  'billing.renewal_many': 422,
  'billing.renewal_price_changed': 409,
  /** The device `device` is in the order `order`, which can still be paid. */
  'billing.renewal_open': 409,
  /** Renewals are not refunded. */
  'billing.renewal_refund': 409,
  /** The order is on an issued invoice. */
  'billing.refund_invoiced': 409,
  'billing.order_not_found': 404,
  'billing.order_state': 409,
  /** No such payment provider is configured. */
  'billing.provider': 422,
  /** The payment provider did not create a code. */
  'billing.provider_down': 503,
  /** The price has more decimals than its currency (`digits`). */
  'billing.price': 422,
  /** Another organisation pays for this one (requirements §6). */
  'billing.shared': 409,
  'billing.balance_left': 409,
  'billing.grant_not_found': 404,
  'billing.grant_decided': 409,
  'billing.grant_own': 403,
  /** A statement of more than `most` entries. */
  'billing.statement_long': 422,
  'billing.refund_not_found': 404,
  'billing.refund_decided': 409,
  'billing.refund_own': 403,
  /** The order already has a refund. */
  'billing.refund_open': 409,
  /** The order is not paid. */
  'billing.refund_state': 409,
  /** The balance has only `available` of the `units` left. */
  'billing.refund_units': 409,
  'alarm_message.not_found': 404,
  /** The message is not settled yet. */
  'alarm_message.waiting': 409,
  'payment_provider.not_found': 404,
  'payment_provider.taken': 409,
  'payment_provider.url': 422,
  /** A field that this kind of provider needs is missing. */
  'payment_provider.incomplete': 422,
  /** The public or the private key is not an RSA key. */
  'payment_provider.key': 422,
  /** The secrets are missing, or must be entered again because the address has changed. */
  'payment_provider.secret_needed': 422,
  /** There are orders of this merchant account. */
  'payment_provider.used': 409,
  /** The address of a browser's push service is not permitted (decision 19). */
  'push.address': 422,
  'push.not_found': 404,
  'push.too_many': 409,
  'push_app.not_found': 404,
  'push_app.too_many': 409,
  /** The credentials are not the JSON key of a service account. */
  'push_service.credentials': 422,
  /** The key is not a private key on P-256. */
  'push_service.key': 422,
  'push_service.not_configured': 409,
  /** The secret is missing, or must be entered again because the address or the account has changed. */
  'push_service.secret_needed': 422,
  'push_service.url': 422,
  'sms_provider.not_found': 404,
  'sms_provider.taken': 409,
  'sms_provider.url': 422,
  /** The body of a generic provider is no JSON object. */
  'sms_provider.body': 422,
  /** Key id, signature or template is missing. */
  'sms_provider.aliyun': 422,
  /** Key id or template of calls is missing. */
  'sms_provider.aliyun_voice': 422,
  /** Secret id, application, signature or template is missing. */
  'sms_provider.tencent': 422,
  /** SID of the account or sender is missing. */
  'sms_provider.twilio': 422,
  /** The secret is missing, or must be entered again because the address has changed. */
  'sms_provider.secret_needed': 422,
  /** System id is missing, or the sender is none. */
  'sms_provider.smpp': 422,
  /** Not the address of an SMSC. */
  'sms_provider.smpp_url': 422,
  /** The addresses that receipts may come from are no addresses or networks. */
  'sms_provider.sources': 422,
  'handover.not_found': 404,
  /** The caller has signed the handover; somebody else takes the shift over. */
  'handover.own': 422,
  /** The period has no length, or is too long. */
  'handover.period': 422,
  /** Somebody has taken the shift over. */
  'handover.taken': 409,
  'alarm_test.confirmed': 409,
  'alarm_test.no_policy': 422,
  'alarm_test.nobody': 422,
  'alarm_test.not_found': 404,
  'alarm_test.not_recipient': 403,
  /** The caller has started `most` tests within an hour. */
  'alarm_test.too_many': 429,
  'test_schedule.not_found': 404,
  'test_schedule.taken': 409,
  'suppression.not_found': 404,
  /** The window has ended; past windows are history. */
  'suppression.over': 409,
  'suppression.past': 422,
  /** The target does not exist, or is outside the user's scope. */
  'suppression.target': 422,
  'suppression.too_long': 422,
  'alertor.not_found': 404,
  /** An alertor with the same name exists in the organisation. */
  'alertor.taken': 409,
  /** An alertor with the same serial number is registered. */
  'alertor.serial_taken': 409,
  'message_template.balance': 409,
  'message_template.not_found': 404,
  /** Only a person can receive a test message. */
  'message_template.person_only': 403,
  /** The organisation has a text for this notification channel, kind and language. */
  'message_template.taken': 409,
  'message_template.too_many': 429,
  /** No mail server, provider or official account is configured. */
  'message_template.transport': 409,
  /** The caller has no address for the notification channel. */
  'message_template.unreachable': 409,
  /** The key of the secure mode is not 43 characters of base64. */
  'wechat.aes_key': 422,
  'wechat.fields': 422,
  'wechat.not_bound': 409,
  'wechat.not_configured': 409,
  /** The secret or the token is missing, or must be entered again because the account has changed. */
  'wechat.secret_needed': 422,
  'wechat.template': 422,
  /** WeChat has answered with an error. */
  'wechat.unavailable': 502,
  'wechat.url': 422,
  'recipient_group.member': 422,
  'recipient_group.not_found': 404,
  'recipient_group.taken': 409,
  /** The group is used by `count` policies. `names` are those that the caller may see. */
  'recipient_group.used': 409,
  'holiday.not_found': 404,
  /** The date has begun in some time zone. */
  'holiday.past': 422,
  'holiday.taken': 409,
  /** The time is not after the start of the current leg. */
  'waybill.before_leg': 422,
  'waybill.future': 422,
  /** A device of the trip belongs to another organisation than the asset. */
  'waybill.device_elsewhere': 409,
  /** A device of the trip was deleted. */
  'waybill.device_gone': 409,
  /** A device of the trip is bound for the trip of another waybill. */
  'waybill.device_on_trip': 409,
  'waybill.device_unknown': 422,
  /** The account may not drive the trips of the organisation. */
  'waybill.driver': 422,
  /** The goods of the waybill are not those that were shown when it was signed. */
  'waybill.goods_changed': 409,
  /** Somebody has signed the end of the transport already. */
  'waybill.handed_over': 409,
  /** The highest temperature is below the lowest one, of the waybill and its product together. */
  'waybill.limits': 422,
  /** What the goods are judged by does not change after the departure. */
  'waybill.limits_fixed': 409,
  'waybill.not_departed': 409,
  'waybill.many_links': 409,
  'waybill.not_found': 404,
  /** A photo of a hand-over that does not exist. */
  'waybill.photo_not_found': 404,
  /** The vehicle or box has not been in the range of the goods for the required time. */
  'waybill.pre_cool': 409,
  /** An adjustment after the departure needs a reason. */
  'waybill.reason': 422,
  'waybill.same_asset': 422,
  /** The action is not possible in the state of the waybill. */
  'waybill.state': 409,
  'waybill.taken': 409,
  /** The tour is on another vehicle. */
  'waybill.tour_asset': 409,
  /** The verdict or the last decision is not the one that the person has seen. */
  'waybill.verdict_changed': 409,
  /** The document of events names no waybill, an unknown one, or a number of several waybills. */
  'epcis.no_waybill': 422,
  'epcis.unknown_waybill': 422,
  'epcis.ambiguous': 422,
  /** An event with this id was sent before, with another content. */
  'epcis.changed': 409,
  'client.not_found': 404,
  'client.taken': 409,
  /** An organisation has as many links to full screens as it may have. */
  'map.many_screens': 409,
  /** An organisation has as many links to replays as it may have. */
  'map.many_replays': 409,
  /** The period of the overview is empty or too long. */
  'overview.range': 422,
  'geofence.not_found': 404,
  'geofence.taken': 409,
  /** The organisation has as many geofences as it may. */
  'geofence.too_many': 409,
  /** A waybill that has not arrived names the geofence. */
  'geofence.in_use': 409,
  /** Alarm policies name the geofence. */
  'geofence.in_policies': 409,
  /** The file is neither GeoJSON nor KML. */
  'geofence.file': 422,
  'profile.not_found': 404,
  'profile.taken': 409,
  'receiver.not_found': 404,
  'receiver.taken': 409,
  /** The receiver has no mobile number, e-mail address or WeChat ID. */
  'receiver.unreachable': 422,
  'balance_warning.not_found': 404,
  /** The organisation has a warning already. */
  'balance_warning.taken': 409,
  'reminder.not_found': 404,
  'reminder.taken': 409,
  'verifier.not_found': 404,
  'verifier.taken': 409,
  'verifier.in_use': 409,
  'mapping.not_found': 404,
  'mapping.taken': 409,
  'mapping.payload': 422,
  'ingest.credentials': 401,
  'ingest.too_many_readings': 422,
  'ingest.refused': 422,
  'ingest.busy': 429,
  'ingest.unavailable': 503,
  /** Faults of a time range, in the order of the checks (requirements §5). */
  'time.selInput': 400,
  'time.no_maximum': 409,
  'time.format': 400,
  'time.order': 400,
  'time.too_long': 400,
  'announcement.not_found': 404,
  /** What was asked for is not possible in its state, such as to change it after it was published. */
  'announcement.state': 409,
  /** Its time has passed already. */
  'announcement.past': 422,
  /** The organisations of its user group do not exist any more. */
  'announcement.nobody': 422,
  /** The format of an attachment is not accepted, or its name says another one. */
  'announcement.file_type': 422,
  'announcement_category.not_found': 404,
  'announcement_category.taken': 409,
  'announcement_group.not_found': 404,
  'announcement_group.taken': 409,
  /** A draft or a scheduled announcement is for the user group. */
  'announcement_group.in_use': 409,
  'report.not_found': 404,
  /** The register keeps no files, and the download of the report was deleted. */
  'report.no_file': 404,
  /** Params: `count` of the assets, and the largest number, `most`. */
  'report.too_many_assets': 400,
  /** The day of a review is not over yet. */
  'review.running': 409,
  /** The readings of a day have changed since the caller saw them. */
  'review.changed': 409,
  'print_head.not_found': 404,
  /** The organisation has a head for this kind of reports. */
  'print_head.taken': 409,
  'report_schedule.not_found': 404,
  'report_schedule.taken': 409,
  /** A report that was started by hand has not ended. */
  'report_schedule.running': 409,
  /** The file is too large for an e-mail, and the address of the console for a link is not known. */
  'report_schedule.no_address': 409,
  'backup.not_found': 404,
  'backup.taken': 409,
  /** A backup that was started by hand has not ended. */
  'backup.running': 409,
  /** The organisation may not use the premium service. */
  'backup.inactive': 409,
  /** More devices than the service allows. */
  'backup.device_limit': 409,
  /** None of the devices belongs to the organisation any more. */
  'backup.no_devices': 409,
  'backup.no_archive': 404,
  /** A backup of the installation is being made. */
  'installation_backup.running': 409,
  /** Nightly backups are switched off. */
  'installation_backup.off': 409,
  'screen.not_found': 404,
  /** The organisation may not use the premium service. */
  'screen.inactive': 409,
  /** The organisation has as many screens as are possible. Param: `most`. */
  'screen.many': 409,
  /** The screen has as many open links as are possible. Param: `most`. */
  'screen.links': 409,
  'job.not_found': 404,
  'job.ended': 409,
  'job.not_ended': 409,
  'job.no_file': 404,
  'job.no_list': 404,
  'job.forbidden': 403,
  'job.too_many': 429,
  /** Reasons why a job has failed; only `storage_away` is also the response to a request. */
  'job.disk_full': 409,
  'job.storage_away': 503,
  /** The file storage accepted the file, and the record of it failed (requirements §8). */
  'job.unrecorded': 409,
  'job.crashed': 409,
  'job.cancelled': 409,
  'job.failed': 409,
  'service.unavailable': 503,
  'service.failed': 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERRORS;

/** Values that are inserted into an error message. */
export type ErrorParams = Record<string, string | number>;

/** An error that is sent to the client: a code with parameters, never a text (house rule 8). */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;

  constructor(code: ErrorCode, params: ErrorParams = {}, options?: ErrorOptions) {
    super(code, options);
    this.name = 'AppError';
    this.code = code;
    this.params = params;
  }

  get httpStatus(): number {
    return ERRORS[this.code];
  }
}

/** Errors of form fields: `request.invalid` with a message for each field. */
export class InvalidFieldsError extends AppError {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly FieldFault[]) {
    super('request.invalid');
    this.faults = faults;
  }
}

/** Creates an error of one field that its schema cannot detect. */
export function invalidField(
  field: string,
  rule: ValidationRule,
  params: FieldFault['params'] = {},
): InvalidFieldsError {
  return new InvalidFieldsError([{ field, rule, params }]);
}
