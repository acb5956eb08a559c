/** A point on a road. If `stop` is true, the vehicle halts there. */
export interface Waypoint {
  latitude: number;
  longitude: number;
  /** Usual speed from this point to the next one. */
  cruiseKmh: number;
  stop?: { minutes: number; unloads: boolean };
}

type Row = [latitude: number, longitude: number, cruiseKmh: number, minutes?: number, unloads?: 'unloads'];

const road = (rows: readonly Row[]): Waypoint[] =>
  rows.map(([latitude, longitude, cruiseKmh, minutes, unloads]) => ({
    latitude,
    longitude,
    cruiseKmh,
    ...(minutes === undefined ? {} : { stop: { minutes, unloads: unloads === 'unloads' } }),
  }));

/** Road: Minhang depot – Hongqiao – G2 (Kunshan, Suzhou, Wuxi, Changzhou, Zhenjiang) – Nanjing Jiangning. */
export const SHANGHAI_NANJING = road([
  [31.0912, 121.3834, 42],
  [31.1205, 121.3702, 60],
  [31.1689, 121.3421, 70],
  [31.2184, 121.3195, 78],
  [31.2631, 121.2498, 84],
  [31.2982, 121.1603, 86],
  [31.3427, 121.0421, 86],
  [31.3664, 120.9456, 84],
  [31.3701, 120.8325, 84],
  [31.3796, 120.7089, 82],
  [31.4082, 120.6204, 84],
  [31.4687, 120.5207, 86],
  [31.5361, 120.4185, 86],
  [31.6009, 120.3387, 84, 20],
  [31.6748, 120.2061, 86],
  [31.7573, 120.0768, 86],
  [31.8304, 119.9312, 86],
  [31.8907, 119.7705, 86],
  [31.9658, 119.6214, 86],
  [32.0537, 119.4903, 86],
  [32.1021, 119.3517, 84],
  [32.0913, 119.2052, 84],
  [32.0688, 119.0537, 80],
  [32.0341, 118.9302, 60],
  [31.9784, 118.8651, 45],
  [31.9532, 118.8402, 35, 35, 'unloads'],
]);

/** Road: Minhang depot – G60 (Songjiang, Jiaxing, Tongxiang) – Hangzhou, with a delivery at Jiaxing. */
export const SHANGHAI_HANGZHOU = road([
  [31.0912, 121.3834, 40],
  [31.0603, 121.3201, 62],
  [31.0284, 121.2479, 78],
  [30.9846, 121.1702, 86],
  [30.9338, 121.0805, 86],
  [30.8857, 121.0113, 86],
  [30.8312, 120.9204, 84],
  [30.7791, 120.8216, 70],
  [30.7528, 120.7589, 45, 25, 'unloads'],
  [30.7204, 120.6871, 84],
  [30.6607, 120.5902, 86],
  [30.5901, 120.5097, 86],
  [30.5203, 120.4418, 86],
  [30.4536, 120.3702, 82],
  [30.3902, 120.2984, 76],
  [30.3397, 120.2461, 55],
  [30.3021, 120.2158, 38, 40, 'unloads'],
]);

/** Tour of hospitals in the city: Minhang, Xuhui, Huangpu, Hongkou, Yangpu, Pudong. */
export const CITY_ROUND = road([
  [31.0912, 121.3834, 35],
  [31.1186, 121.4023, 42],
  [31.1483, 121.4162, 45],
  [31.1795, 121.4368, 34],
  [31.1976, 121.4521, 26, 18, 'unloads'],
  [31.2089, 121.4603, 24],
  [31.2118, 121.4672, 22, 15, 'unloads'],
  [31.2287, 121.4756, 24],
  [31.2513, 121.4841, 26],
  [31.2682, 121.4926, 25, 15, 'unloads'],
  [31.2847, 121.5103, 32],
  [31.2795, 121.5298, 34, 12, 'unloads'],
  [31.2604, 121.5487, 44],
  [31.2351, 121.5412, 32],
  [31.2224, 121.5306, 26, 18, 'unloads'],
]);

/** Road: Suzhou park depot – Wuxi – Changzhou clinics over national road 312. */
export const SUZHOU_CHANGZHOU = road([
  [31.3021, 120.7184, 44],
  [31.3198, 120.6489, 48],
  [31.3402, 120.5803, 60, 15, 'unloads'],
  [31.3904, 120.5271, 66],
  [31.4598, 120.4472, 68],
  [31.5217, 120.3721, 56],
  [31.5662, 120.3068, 36, 20, 'unloads'],
  [31.6203, 120.2401, 64],
  [31.6897, 120.1403, 68],
  [31.7411, 120.0312, 62],
  [31.7795, 119.9602, 36, 25, 'unloads'],
]);

/** Road: wholesaler's warehouse – S32 – Pudong airport cargo – Waigaoqiao port. */
export const AIRPORT_SHUTTLE = road([
  [31.0912, 121.3834, 42],
  [31.0724, 121.4302, 66],
  [31.0698, 121.5011, 82],
  [31.0753, 121.5897, 84],
  [31.0826, 121.6704, 84],
  [31.1098, 121.7402, 66],
  [31.1487, 121.7869, 40, 30, 'unloads'],
  [31.1902, 121.7614, 70],
  [31.2411, 121.7013, 78],
  [31.2998, 121.6389, 72],
  [31.3402, 121.5987, 44],
  [31.3587, 121.5812, 30, 25, 'unloads'],
]);
