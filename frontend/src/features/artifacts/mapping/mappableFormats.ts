/** Artifacts whose columns the user may define. */
import type { Artifact } from '@/api/schema'

const TABLES: readonly (string | null)[] = [null, 'metric-csv', 'csv-table', 'result-set']

/** Return whether the artifact may be a table: parsed as one, or of unknown type. */
export const mayBeTable = (artifact: Artifact): boolean =>
  ['done', 'done_with_problems', 'unknown_format', 'failed'].includes(artifact.state) &&
  artifact.bytes > 0 &&
  (TABLES.includes(artifact.format) || artifact.state === 'failed')

/** Return whether the artifact was parsed as a table with errors. */
export const isTableReadBadly = (artifact: Artifact): boolean =>
  artifact.format !== null &&
  TABLES.includes(artifact.format) &&
  (artifact.state === 'done_with_problems' || artifact.state === 'failed')
