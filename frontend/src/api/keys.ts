/**
 * Query keys. Every key of an incident starts with ['incident', id, domain], so that a change event of
 * the server invalidates exactly its domain.
 */

export type Domain =
  | 'self'
  | 'overview'
  | 'artifacts'
  | 'queue'
  | 'uploads'
  | 'series'
  | 'lanes'
  | 'marks'
  | 'waits'
  | 'stacks'
  | 'compare'
  | 'sessions'
  | 'tables'
  | 'findings'
  | 'pins'
  | 'hypotheses'
  | 'matrix'
  | 'comments'
  | 'mentions'
  | 'experiments'
  | 'report'
  | 'texts'
  | 'annotations'
  | 'activity'
  | 'search'
  | 'view'
  | 'analysis'

export const keys = {
  session: ['session'] as const,
  sessions: ['sessions'] as const,
  setup: ['setup'] as const,
  status: ['status'] as const,
  formats: ['formats'] as const,
  samples: ['samples'] as const,
  tokens: ['tokens'] as const,
  users: ['users'] as const,
  teams: ['teams'] as const,
  retention: (team: string, days: number | null) => ['teams', team, 'retention', days] as const,
  usage: ['usage'] as const,
  incidents: ['incidents'] as const,
  listViews: ['list-views'] as const,
  deletedIncidents: ['deleted-incidents'] as const,
  redactionProfiles: ['redaction-profiles'] as const,
  webhooks: ['webhooks'] as const,
  audit: ['audit'] as const,
  incident: (id: string) => ['incident', id] as const,
  of: (id: string, domain: Domain, ...rest: readonly unknown[]) =>
    ['incident', id, domain, ...rest] as const,
  artifact: (artifactId: string, ...rest: readonly unknown[]) =>
    ['artifact', artifactId, ...rest] as const,
}

/** Domains computed from another one, such as the matrix from pins: a write makes them stale too. */
const COMPUTED_FROM: Readonly<Record<string, readonly Domain[]>> = {
  pins: ['hypotheses', 'matrix', 'report', 'overview'],
  hypotheses: ['pins', 'matrix', 'findings', 'report', 'overview'],
  experiments: ['hypotheses', 'matrix', 'report', 'overview'],
  findings: ['overview', 'report'],
  matrix: ['hypotheses', 'report'],
  comments: ['matrix'],
}

/** List the domains that a write in `domain` makes stale, starting with the domain itself. */
export const madeStaleBy = (domain: string): readonly string[] => [
  domain,
  ...(COMPUTED_FROM[domain] ?? []),
]

/** Domains that the analysis computes: stale after each run. */
export const DERIVED: readonly Domain[] = [
  'overview',
  'analysis',
  'series',
  'lanes',
  'marks',
  'waits',
  'stacks',
  'compare',
  'sessions',
  'tables',
  'findings',
]
