import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles } from './source-files.ts';

const LOCALES = 'packages/i18n/locales';
const HELP = 'packages/i18n/help';

interface Rule {
  /** The required term. */
  use: string;
  /** Terms that must not be used instead of the term in `use`. */
  forbidden: RegExp;
  /** Text ids in which the word has another meaning, with the reason next to it. */
  except?: RegExp;
}

/**
 * One term per concept and language. Only terms that a pattern can distinguish from legitimate uses are
 * listed; the others must be checked by the reviewer.
 */
const GLOSSARY: Record<string, readonly Rule[]> = {
  en: [
    { use: 'chart', forbidden: /\bcurves?\b/i },
    { use: 'acknowledge', forbidden: /\bhandle(d|s)?\b/i },
    { use: 'trigger delay', forbidden: /\btrigger time\b/i },
    {
      use: 'cancel, restore, resend or remove',
      forbidden: /\b(take|took|taken) back\b|\b(bring|brought) back\b|\btell again\b|\btake out\b/i,
    },
    { use: 'someone else, not acknowledged, no one', forbidden: /\bsomebody\b|\bnobody (yet|has|holds)\b/i },
    { use: 'appears, is or exists', forbidden: /\bstands?\b/i },
    { use: 'last seen', forbidden: /\bheard (from|of|through)\b/i },
    { use: 'not found, rejected', forbidden: /\bthere is no such\b|\bno such (?!device)/i },
    { use: 'data format', forbidden: /\bsays\b/i },
  ],
  'zh-CN': [
    { use: '保温箱', forbidden: /冷藏箱/ },
    { use: '触发时间', forbidden: /触发时长|触发延迟/ },
    { use: '校准', forbidden: /检定/ },
    { use: '报警', forbidden: /告警|警报/ },
    { use: '指令', forbidden: /命令/ },
    // 账户 means the balance account only.
    { use: '账号', forbidden: /账户/, except: /balance|recharge|ledger/ },
  ],
  'zh-TW': [
    { use: '裝置', forbidden: /設備/ },
    { use: '資料', forbidden: /數據/ },
    // The verb is 記錄, the noun is 紀錄, and a data logger is a 記錄器.
    {
      use: '紀錄',
      forbidden: /記錄(?!器|在|於)/,
      except: /^errors\.service\.failed$|^assets\.history\.empty\.reason$/,
    },
    { use: '校正', forbidden: /校準/ },
    { use: '解除綁定', forbidden: /解綁/ },
    { use: '連線', forbidden: /在線/ },
    { use: '保冷箱', forbidden: /冷藏箱/ },
    { use: '冷藏庫', forbidden: /冷庫/ },
    { use: '觸發時間', forbidden: /觸發時長|觸發延遲/ },
    { use: '遲滯', forbidden: /回差/ },
    { use: '警報', forbidden: /報警|告警/ },
    { use: '指令', forbidden: /命令/ },
    { use: '簡訊', forbidden: /短信/ },
    { use: '確效', forbidden: /驗證/, except: /^(?!(menu\.asset-validation|validations\.))/ },
    { use: '帳號', forbidden: /帳戶/, except: /balance|recharge|ledger/ },
  ],
  es: [
    { use: 'gráfico', forbidden: /\bcurvas?\b/i },
    { use: 'comando', forbidden: /\bórdenes\b|\b(la|una|esta|nueva|cada) orden\b/i },
    { use: 'reconocer', forbidden: /\b(atend\w+|confirmar la alarma)\b/i },
    { use: 'deshielo', forbidden: /descongel|desescarche/i },
    { use: 'cámara fría', forbidden: /frigorífic/i },
    { use: 'retardo', forbidden: /tiempo de activación/i },
    { use: 'cualificación', forbidden: /\bvalidaciones\b|unidad verificadora/i },
    // "Cuenta" means a balance account, a WeChat official account, or a service account of Google.
    { use: 'usuario', forbidden: /\bcuentas?\b/i, except: /balance|recharge|ledger|wechat|push[-_]service/ },
  ],
};

/** Returns the texts of a language by id: those of the catalogues, and of the help by the name of the page or subject. */
function textsOf(root: string, language: string): { path: string; id: string; message: string }[] {
  const catalogues = readFiles(root, `${LOCALES}/${language}`, /\.json$/).flatMap(({ path, text }) =>
    Object.entries(JSON.parse(text) as Record<string, string>).map(([id, message]) => ({
      path,
      id,
      message,
    })),
  );
  const pages = readFiles(root, `${HELP}/${language}`, /\.json$/).flatMap(({ path, text }) =>
    Object.entries(JSON.parse(text) as Record<string, string[]>).map(([id, sentences]) => ({
      path,
      id,
      message: sentences.join('\n'),
    })),
  );
  const subjects = readFiles(root, `${HELP}/${language}`, /\.md$/).map(({ path, text }) => ({
    path,
    id: path.slice(path.lastIndexOf('/') + 1),
    message: text,
  }));
  return [...catalogues, ...pages, ...subjects];
}

/** Reports texts that use another term than the glossary. */
export function checkGlossary(root: string, glossary: typeof GLOSSARY = GLOSSARY): string[] {
  return readdirSync(join(root, LOCALES)).flatMap((language) =>
    textsOf(root, language).flatMap(({ path, id, message }) =>
      (glossary[language] ?? [])
        .filter((rule) => !rule.except?.test(id))
        .flatMap((rule) => {
          const found = message.match(rule.forbidden)?.[0];
          return found ? [`${path}: ${id}: “${found}” is not in the glossary, use “${rule.use}”`] : [];
        }),
    ),
  );
}
