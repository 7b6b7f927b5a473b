// The parts of Apache ECharts that charts use: half of the whole. ./dev bundles them with esbuild to
// web/node_modules/echarts-parts/echarts.min.js. A new type of series or component is added here.
import { getInstanceByDom, init, use } from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, LinesChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent, DataZoomInsideComponent, GridComponent, LegendPlainComponent, MarkLineComponent, TitleComponent,
  TooltipComponent, VisualMapContinuousComponent,
} from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([
  BarChart, CustomChart, HeatmapChart, LineChart, LinesChart, ScatterChart,
  AriaComponent, DataZoomInsideComponent, GridComponent, LegendPlainComponent, MarkLineComponent, TitleComponent,
  TooltipComponent, VisualMapContinuousComponent, LabelLayout, CanvasRenderer, SVGRenderer,
]);
export { getInstanceByDom, init };  // the first one is for tests
