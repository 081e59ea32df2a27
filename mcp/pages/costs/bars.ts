/**
 * Sums as bars, drawn as SVG on the server. The table beside them says the same
 * in figures, so that nobody has to see them.
 *
 * @module
 */
import { type Html, markup } from "../markup.ts";

/** A bar. */
export interface Bar {
  /** What it stands for. */
  readonly label: string;
  /** How long it is. */
  readonly value: number;
}

const WIDTH = 600;
const HEIGHT = 120;
const LINE = 14;

/** Bars that stand beside each other, in their order: days. */
export function standingBars(bars: readonly Bar[]): Html {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  if (most === 0) return markup``;
  const step = WIDTH / bars.length;
  return svg(
    HEIGHT,
    bars.map(({ label, value }, at) => {
      const height = value / most * HEIGHT;
      return rect(label, {
        x: at * step + step * 0.1,
        y: HEIGHT - height,
        width: step * 0.8,
        height,
      });
    }),
  );
}

/** Bars that lie below each other, in their order: what there is a few of. */
export function lyingBars(bars: readonly Bar[]): Html {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  if (most === 0) return markup``;
  return svg(
    bars.length * LINE,
    bars.map(({ label, value }, at) =>
      rect(label, {
        x: 0,
        y: at * LINE + 2,
        width: value / most * WIDTH,
        height: LINE - 4,
      })
    ),
  );
}

function svg(height: number, content: readonly Html[]): Html {
  return markup`<svg class="bars" viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" height="${height}" aria-hidden="true" focusable="false">${content}</svg>`;
}

function rect(
  label: string,
  size: Readonly<Record<"x" | "y" | "width" | "height", number>>,
): Html {
  const [x, y, width, height] = [size.x, size.y, size.width, size.height]
    .map((one) => one.toFixed(1));
  return markup`<rect x="${x}" y="${y}" width="${width}" height="${height}"><title>${label}</title></rect>`;
}
