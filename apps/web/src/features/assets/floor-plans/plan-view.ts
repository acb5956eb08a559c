export interface Size {
  width: number;
  height: number;
}

/** A position in a frame in pixels, or on an image in fractions of its size. */
export interface Spot {
  x: number;
  y: number;
}

/**
 * Position and scale of an image in its frame: its upper left corner in pixels, and the pixels per unit of
 * the image.
 */
export interface View extends Spot {
  scale: number;
}

/** Margin around a fitted image, for marks at its edge. */
const MARGIN = 36;
/** Largest zoom factor relative to the fitted size. */
const NEAREST = 24;

/** Returns the view that shows the whole image, centred in the frame. */
export function fitted(picture: Size, frame: Size): View {
  const scale = Math.max(
    Math.min((frame.width - 2 * MARGIN) / picture.width, (frame.height - 2 * MARGIN) / picture.height),
    1e-4,
  );
  return {
    scale,
    x: (frame.width - picture.width * scale) / 2,
    y: (frame.height - picture.height * scale) / 2,
  };
}

/** Zooms by a factor. The given position in the frame stays under the pointer. */
export function zoomed(view: View, factor: number, around: Spot, picture: Size, frame: Size): View {
  const least = fitted(picture, frame).scale;
  const scale = Math.min(Math.max(view.scale * factor, least), least * NEAREST);
  const by = scale / view.scale;
  return held(
    { scale, x: around.x - (around.x - view.x) * by, y: around.y - (around.y - view.y) * by },
    picture,
    frame,
  );
}

/** Limits the view so that the image fills the frame, or is centred if it is smaller than the frame. */
export function held(view: View, picture: Size, frame: Size): View {
  const along = (at: number, length: number, room: number) =>
    length + 2 * MARGIN <= room
      ? (room - length) / 2
      : Math.min(Math.max(at, room - MARGIN - length), MARGIN);
  return {
    scale: view.scale,
    x: along(view.x, picture.width * view.scale, frame.width),
    y: along(view.y, picture.height * view.scale, frame.height),
  };
}

/** Returns the position on the image for a position in the frame; null outside the image. */
export function fractionAt(view: View, picture: Size, place: Spot): Spot | null {
  const x = (place.x - view.x) / (picture.width * view.scale);
  const y = (place.y - view.y) / (picture.height * view.scale);
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null;
}

/** Returns a view with the fitted size times `nearer`, centred on a position as far as the image allows. */
export function centredOn(spot: Spot, nearer: number, picture: Size, frame: Size): View {
  const scale = fitted(picture, frame).scale * nearer;
  return held(
    {
      scale,
      x: frame.width / 2 - spot.x * picture.width * scale,
      y: frame.height / 2 - spot.y * picture.height * scale,
    },
    picture,
    frame,
  );
}

/** Moves a position by a step in fractions of the image, but not out of the image. */
export function nudged({ x, y }: Spot, dx: number, dy: number): Spot {
  const within = (value: number) => Math.min(Math.max(value, 0), 1);
  return { x: within(x + dx), y: within(y + dy) };
}

/**
 * Ratio of width to height of a mark with its name. It allows marks to be closer vertically than
 * horizontally.
 */
const WIDER = 2.5;
/** Horizontal space in pixels that a mark with its name needs. */
const NAMED_PX = 100;
const VALUED_PX = 56;

/**
 * Returns a distance in units of the image: three quarters of the marks have their nearest neighbour farther
 * away.
 */
export function spacing(spots: readonly Spot[], picture: Size): number {
  const distances = spots.map((one) =>
    Math.min(
      ...spots.map((other) =>
        one === other
          ? Number.POSITIVE_INFINITY
          : Math.max(
              Math.abs(one.x - other.x) * picture.width,
              Math.abs(one.y - other.y) * picture.height * WIDER,
            ),
      ),
    ),
  );
  return distances.sort((a, b) => a - b)[Math.floor(distances.length / 4)] ?? Number.POSITIVE_INFINITY;
}

/** Returns how much detail marks can show at a distance in pixels. */
export function detailAt(distancePx: number): 'named' | 'valued' | 'dots' {
  if (distancePx >= NAMED_PX) return 'named';
  return distancePx >= VALUED_PX ? 'valued' : 'dots';
}
