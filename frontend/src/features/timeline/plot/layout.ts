/** Widths shared by everything above the same plot. */

/** Left of the plot: names of the lanes, CSS pixels. */
export const LEFT = 220
/** Right of it: their extremes and units. */
export const RIGHT = 92
