/** Numbers that carry their unit in the type; a plain number does not pass for one by accident. */

export type Seconds = number & { readonly unit: 's' }
export type Milliseconds = number & { readonly unit: 'ms' }
export type Bytes = number & { readonly unit: 'B' }
/** 0..1 */
export type Share = number & { readonly unit: 'share' }

export const seconds = (value: number) => value as Seconds
export const milliseconds = (value: number) => value as Milliseconds
export const bytes = (value: number) => value as Bytes
export const share = (value: number) => value as Share
