import { CustomChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { type EChartsType, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([CustomChart, GridComponent, CanvasRenderer]);

export type Chart = EChartsType;
export { init };
