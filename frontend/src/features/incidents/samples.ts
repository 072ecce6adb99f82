/** Samples in groups, as the empty list and the menu show them. */
import type { SampleOut as Sample } from '@/api/schema'

interface SampleGroup {
  readonly title: string
  readonly samples: readonly Sample[]
}

/** Return the finished cases, then the captures without a team's work; no empty group. */
export function sampleGroups(samples: readonly Sample[]): SampleGroup[] {
  const groups = [
    {
      title: 'Finished cases: evidence, hypotheses, experiments, report',
      samples: samples.filter((sample) => sample.finished),
    },
    { title: 'Captured pileups', samples: samples.filter((sample) => !sample.finished) },
  ]
  return groups.filter((group) => group.samples.length > 0)
}

/** Loading a loaded sample opens its incident. */
export const loadWord = (sample: Sample) => (sample.incident_id ? 'Open' : 'Load')
