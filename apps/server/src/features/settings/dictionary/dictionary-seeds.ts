import type { Titles } from '@isotherm/contracts/menus';

const titles = (en: string, es: string, zhCN: string, zhTW: string): Titles => ({
  en,
  es,
  'zh-CN': zhCN,
  'zh-TW': zhTW,
});

/** Dictionary choices of a new installation; an operator may rename, reorder, add and disable them. */
export const DICTIONARY_SEEDS = [
  {
    code: 'disable-reason',
    titles: titles(
      'Reasons to disable an account',
      'Motivos para desactivar una cuenta',
      '停用账号的原因',
      '停用帳號的原因',
    ),
    items: [
      {
        value: 'left',
        titles: titles('Left the organisation', 'Ya no trabaja en la organización', '已离职', '已離職'),
      },
      { value: 'absent', titles: titles('Long absence', 'Ausencia prolongada', '长期离岗', '長期離崗') },
      {
        value: 'misuse',
        titles: titles('Suspected misuse', 'Sospecha de uso indebido', '疑似滥用', '疑似濫用'),
      },
      { value: 'duplicate', titles: titles('Duplicate account', 'Cuenta duplicada', '重复账号', '重複帳號') },
    ],
  },
  {
    code: 'alarm-handling',
    titles: titles('What was done about an alarm', 'Medidas ante una alarma', '报警处理措施', '警報處理措施'),
    items: [
      {
        value: 'door-closed',
        titles: titles(
          'Door was open, closed it',
          'Puerta abierta; se ha cerrado',
          '门未关，已关闭',
          '門未關，已關閉',
        ),
      },
      {
        value: 'loading',
        titles: titles('Loading or unloading', 'Carga o descarga', '正在装卸货', '正在裝卸貨'),
      },
      { value: 'defrost', titles: titles('Defrosting', 'Descongelación', '正在除霜', '正在除霜') },
      {
        value: 'power-restored',
        titles: titles('Power restored', 'Suministro eléctrico restablecido', '已恢复供电', '已恢復供電'),
      },
      {
        value: 'moved',
        titles: titles(
          'Goods moved to another place',
          'Productos trasladados a otro lugar',
          '货品已转移',
          '貨品已轉移',
        ),
      },
      { value: 'repair', titles: titles('Repair ordered', 'Reparación solicitada', '已报修', '已報修') },
      {
        value: 'sensor-fault',
        titles: titles('Faulty sensor', 'Sensor defectuoso', '传感器故障', '感測器故障'),
      },
    ],
  },
  {
    code: 'purchase-source',
    titles: titles('Where an asset came from', 'Procedencia de un activo', '资产来源', '資產來源'),
    items: [
      { value: 'bought', titles: titles('Bought', 'Compra', '自购', '自購') },
      {
        value: 'allocated',
        titles: titles('Allocated by the authority', 'Asignación de la autoridad', '上级配发', '上級配發'),
      },
      { value: 'donated', titles: titles('Donated', 'Donación', '捐赠', '捐贈') },
      { value: 'leased', titles: titles('Leased', 'Arrendamiento', '租赁', '租賃') },
    ],
  },
  {
    code: 'vehicle-type',
    titles: titles('Types of cold vehicles', 'Tipos de vehículos frigoríficos', '冷藏车类型', '冷藏車類型'),
    items: [
      {
        value: 'refrigerated-truck',
        titles: titles('Refrigerated truck', 'Camión frigorífico', '冷藏车', '冷藏車'),
      },
      {
        value: 'vaccine-transporter',
        titles: titles('Vaccine transporter', 'Transporte de vacunas', '疫苗运输车', '疫苗運輸車'),
      },
      {
        value: 'room-temperature-car',
        titles: titles('Room temperature car', 'Vehículo a temperatura ambiente', '常温车', '常溫車'),
      },
      { value: 'freezer-car', titles: titles('Freezer car', 'Vehículo congelador', '冷冻车', '冷凍車') },
    ],
  },
] as const;
