/** Whether and how a run failed, in words. */
import type { Experiment } from './queries'

type Failed = NonNullable<Experiment['failed_same_way']>

export const FAILED_WORDS: Record<Failed, string> = {
  yes: 'failed the same way',
  no: 'failed differently',
  failed: 'failed',
  unclear: 'unclear whether it failed the same way',
  not_failed: 'did not fail',
}

export const FAILED_OPTIONS: readonly (readonly ['' | Failed, string])[] = [
  ['', 'not recorded'],
  ['yes', 'it failed the same way'],
  ['no', 'it failed differently'],
  ['failed', 'it failed, in which way is not known'],
  ['unclear', 'unclear'],
  ['not_failed', 'it did not fail'],
]
