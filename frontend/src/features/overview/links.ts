/** Addresses that the overview links to. */
import type { StallDoc } from '@/api/schema'

/** Return the range of a stall extended by a third of its length (at least 15 s) on both sides. */
export function aroundStall(
  stall: Pick<StallDoc, 'onset' | 'end' | 'duration_s'>,
): { start: string; end: string } | Record<string, never> {
  const onset = Date.parse(stall.onset)
  if (Number.isNaN(onset)) return {}
  const over = stall.end ? Date.parse(stall.end) : onset + (stall.duration_s ?? 60) * 1000
  const margin = Math.max(15_000, (over - onset) / 3)
  return {
    start: new Date(onset - margin).toISOString(),
    end: new Date(over + margin).toISOString(),
  }
}
