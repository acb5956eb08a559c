export interface Size {
  width: number;
  height: number;
}

/** A place in a frame in pixels, or on a picture in fractions of it. */
export interface Spot {
  x: number;
  y: number;
}

/** Where a picture lies in its frame: its upper left corner in pixels, and pixels per unit of the picture. */
export interface View extends Spot {
  scale: number;
}

/** Room around a picture that fits, so that what stands at its edge is seen. */
const MARGIN = 36;
/** So many times larger than it fits. */
const NEAREST = 24;

/** The whole picture in the middle of the frame. */
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

/** Larger or smaller by a factor, around a place in the frame that stays under the pointer. */
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

/** The same view, drawn back so far that the frame is filled, or the picture is in the middle where it is smaller. */
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

/** The fraction of the picture that lies at a place in the frame; null beside the picture. */
export function fractionAt(view: View, picture: Size, place: Spot): Spot | null {
  const x = (place.x - view.x) / (picture.width * view.scale);
  const y = (place.y - view.y) / (picture.height * view.scale);
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null;
}

/** As large as it fits times `nearer`, with a spot of the picture in the middle as far as the picture goes. */
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

/** Moved by a step in fractions, and kept on the picture. */
export function nudged({ x, y }: Spot, dx: number, dy: number): Spot {
  const within = (value: number) => Math.min(Math.max(value, 0), 1);
  return { x: within(x + dx), y: within(y + dy) };
}

/** A mark with its name is so many times wider than high: above each other they stand closer. */
const WIDER = 2.5;
/** Room that a mark wants beside it, in pixels: with its name, and with its value alone. */
const NAMED_PX = 100;
const VALUED_PX = 56;

/** Distance to the next mark, in units of the picture, that three quarters of the marks have at least. */
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

/** How much each mark may say at a distance in pixels. */
export function detailAt(distancePx: number): 'named' | 'valued' | 'dots' {
  if (distancePx >= NAMED_PX) return 'named';
  return distancePx >= VALUED_PX ? 'valued' : 'dots';
}
