import type { Report, Sensor } from "../model.ts";
import { formatCount, formatPercent, formatSeconds } from "./numbers.ts";
import type { Style } from "./style.ts";
import { layoutTable } from "./table.ts";
import { clipMiddle, printable, wrap } from "./width.ts";

const MOST_SENSORS = 5;
/** Of all judged time; what judges less is not worth a line. */
const LEAST_SHARE = 0.01;

/** The v-sensors that judge most of the time. */
export function sensorsSection(report: Report, style: Style, width: number): string[] {
  if (report.sensors.length === 0) return [];
  const judged = report.sensors.reduce((sum, { totalSeconds }) => sum + totalSeconds, 0);
  const top = report.sensors
    .toSorted((a, b) => b.totalSeconds - a.totalSeconds)
    .slice(0, MOST_SENSORS)
    .filter(({ totalSeconds }, at) => at === 0 || totalSeconds >= LEAST_SHARE * judged);
  const rows = top.map((sensor) => [
    snippetName(sensor),
    formatCount(sensor.fragments),
    formatSeconds(sensor.referenceSeconds),
    formatSeconds(sensor.totalSeconds),
    formatSeconds(sensor.lostSeconds),
  ]);
  const columns = [
    { title: "snippet", flexible: true },
    { title: "fragments", right: true },
    { title: "reference", right: true },
    { title: "total", right: true },
    { title: "lost", right: true },
  ];
  const [title = "", ...table] = layoutTable(columns, rows, width);
  const count = report.sensors.length;
  const heading =
    count > top.length ? `Top v-sensors (${top.length} of ${formatCount(count)})` : "v-sensors";
  return [
    style.bold(heading),
    style.dim(title),
    ...table.flatMap((line, at) => [line].concat(placeLine(top[at], style, width))),
    ...undecidedLine(report.sensors, judged, width),
  ];
}

/** Says how much of what is judged may be slower by its work, or by the machine. */
function undecidedLine(sensors: readonly Sensor[], judged: number, width: number): string[] {
  const open = sensors.filter(({ verdict }) => verdict === "undecided");
  const share = open.reduce((sum, { totalSeconds }) => sum + totalSeconds, 0) / judged;
  if (!(share >= LEAST_SHARE)) return [];
  const text = `${formatPercent(100 * share)} of the judged time: some ranks or phases take longer, by more work or by slower work; nothing tells which`;
  return wrap(text, width, "  ", "  ");
}

function snippetName(sensor: Sensor): string {
  return sensor.kind === "compute"
    ? printable(`compute ${sensor.from} > ${sensor.to}`)
    : printable(sensor.to);
}

function placeLine(sensor: Sensor | undefined, style: Style, width: number): string[] {
  if (!sensor) return [];
  const to = sensor.source ?? sensor.site;
  const from = sensor.fromSource ?? sensor.fromSite;
  const room = width - 4;
  if (from === to) return [style.dim(`    ${clipMiddle(printable(to), room)}`)];
  const half = Math.floor((room - 3) / 2);
  const parts = [from, to].map((place) => clipMiddle(printable(place), half));
  return [style.dim(`    ${parts.join(" > ")}`)];
}
