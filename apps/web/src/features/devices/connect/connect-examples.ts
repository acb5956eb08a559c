import { channelKey, INGEST_PATH, readingsTopic } from '@isotherm/contracts/ingest';
import type { Indicator } from '@isotherm/domain/readings/indicator';

/** Placeholder for the device key if the key is not known. */
export const KEY_PLACEHOLDER = 'DEVICE_KEY';

export const EXAMPLES = ['curl', 'mosquitto', 'python', 'arduino'] as const;
export type Example = (typeof EXAMPLES)[number];

/** Names of programs and products. They are not translated. */
export const EXAMPLE_NAMES: Readonly<Record<Example, string>> = {
  curl: 'curl',
  mosquitto: 'mosquitto_pub',
  python: 'Python',
  arduino: 'Arduino (ESP32)',
};

export interface ExampleInput {
  /** Origin for readings over HTTP: `https://cold.example`. */
  origin: string;
  host: string;
  mqtt: { port: number; isTls: boolean };
  number: string;
  key: string;
  channel: { indicator: Indicator; sensorIndex: number };
}

/** Returns code that sends one reading with the current time, ready to run. */
export function exampleCode(example: Example, input: ExampleInput): string {
  return CODE[example](input);
}

/** Typical values of a refrigerator within its limits. */
const VALUES: Readonly<Record<Indicator, number>> = {
  temperature: 4.9,
  humidity: 45,
  battery: 90,
  signal: -70,
  voltage: 3.6,
  power: 1,
  door: 0,
  defrost: 0,
  illuminance: 0,
  oxygen: 20.9,
  'carbon-dioxide': 420,
  slope: 0,
  acceleration: 0,
  amplitude: 0,
  button: 0,
};

/** Quotes one argument of a shell command, because a device key may contain any printable character. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const CODE: Readonly<Record<Example, (input: ExampleInput) => string>> = {
  curl: (input) => `curl -u ${quoted(`${input.number}:${input.key}`)} ${input.origin}${INGEST_PATH} \\
  -d "{\\"readings\\":[{\\"channel\\":\\"${channelOf(input)}\\",\\"at\\":$(date +%s)000,\\"value\\":${VALUES[input.channel.indicator]}}]}"`,

  mosquitto: (input) => `mosquitto_pub -h ${input.host} -p ${input.mqtt.port} ${
    input.mqtt.isTls ? '--tls-use-os-certs ' : ''
  }-V mqttv5 -q 1 \\
  -u ${input.number} -P ${quoted(input.key)} -t ${readingsTopic(input.number)} \\
  -m "{\\"readings\\":[{\\"channel\\":\\"${channelOf(input)}\\",\\"at\\":$(date +%s)000,\\"value\\":${VALUES[input.channel.indicator]}}]}"`,

  python: (input) => `import base64, json, time, urllib.request

reading = {"channel": "${channelOf(input)}", "at": int(time.time() * 1000), "value": ${VALUES[input.channel.indicator]}}
request = urllib.request.Request(
    "${input.origin}${INGEST_PATH}",
    data=json.dumps({"readings": [reading]}).encode(),
    headers={"Authorization": "Basic " + base64.b64encode(${JSON.stringify(`${input.number}:${input.key}`)}.encode()).decode()},
)
print(urllib.request.urlopen(request).read().decode())`,

  arduino: (input) => `#include <WiFi.h>
#include <PubSubClient.h>
#include <time.h>
${input.mqtt.isTls ? '#include <WiFiClientSecure.h>\n\nWiFiClientSecure network;  // network.setCACert(…): the certificate authority of the server' : '\nWiFiClient network;'}
PubSubClient mqtt(network);

void setup() {
  WiFi.begin("NETWORK", "PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(500);
  configTime(0, 0, "pool.ntp.org");  // readings carry the time of measurement
  while (time(nullptr) < 1700000000) delay(500);
  mqtt.setServer("${input.host}", ${input.mqtt.port});
  mqtt.setBufferSize(512);
}

void loop() {
  if (!mqtt.connected()) mqtt.connect("${input.number}", "${input.number}", ${JSON.stringify(input.key)});
  char message[128];
  snprintf(message, sizeof message,
    "{\\"readings\\":[{\\"channel\\":\\"${channelOf(input)}\\",\\"at\\":%lld000,\\"value\\":%.1f}]}",
    (long long)time(nullptr), ${VALUES[input.channel.indicator].toFixed(1)});
  mqtt.publish("${readingsTopic(input.number)}", message);
  mqtt.loop();
  delay(60000);
}`,
};

const channelOf = ({ channel }: ExampleInput) => channelKey(channel.indicator, channel.sensorIndex);
