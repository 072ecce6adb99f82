/** Addresses that an overview leads to. */
import type { StallDoc } from '@/api/schema'

/** The range of a stall with a third of its length (15 s at least) on both sides. */
export function aroundStall(
  stall: Pick<StallDoc, 'onset' | 'end' | 'duration_s'>,
): { from: string; to: string } | Record<string, never> {
  const start = Date.parse(stall.onset)
  if (Number.isNaN(start)) return {}
  const end = stall.end ? Date.parse(stall.end) : start + (stall.duration_s ?? 60) * 1000
  const margin = Math.max(15_000, (end - start) / 3)
  return {
    from: new Date(start - margin).toISOString(),
    to: new Date(end + margin).toISOString(),
  }
}
