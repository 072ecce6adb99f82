/** Which artifacts are tables whose columns a person may tell. */
import type { Artifact } from '@/api/schema'

const TABLES: readonly (string | null)[] = [null, 'metric-csv', 'csv-table']

/** Text that may be a table: read as one, or not known at all. */
export const mayBeTable = (artifact: Artifact): boolean =>
  ['done', 'done_with_problems', 'unknown_format', 'failed'].includes(artifact.state) &&
  artifact.bytes > 0 &&
  (TABLES.includes(artifact.format) || artifact.state === 'failed')

/** Read as a table, and not in full. */
export const isTableReadBadly = (artifact: Artifact): boolean =>
  artifact.format !== null &&
  TABLES.includes(artifact.format) &&
  (artifact.state === 'done_with_problems' || artifact.state === 'failed')
