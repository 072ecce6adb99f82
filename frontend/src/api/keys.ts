/**
 * Query keys. Everything of an incident starts with ['incident', id, domain], so that a change
 * told by the server invalidates exactly its domain.
 */

export type Domain =
  | 'self'
  | 'overview'
  | 'artifacts'
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
  | 'find'
  | 'view'
  | 'analysis'

export const keys = {
  session: ['session'] as const,
  setup: ['setup'] as const,
  status: ['status'] as const,
  formats: ['formats'] as const,
  samples: ['samples'] as const,
  tokens: ['tokens'] as const,
  users: ['users'] as const,
  incidents: ['incidents'] as const,
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

/** What is made of a domain, such as the matrix of pins: stale with it, whoever wrote. */
const MADE_OF_IT: Readonly<Record<string, readonly Domain[]>> = {
  pins: ['hypotheses', 'matrix', 'report', 'overview'],
  hypotheses: ['pins', 'matrix', 'findings', 'report', 'overview'],
  experiments: ['hypotheses', 'matrix', 'report', 'overview'],
  findings: ['overview', 'report'],
  matrix: ['hypotheses', 'report'],
  comments: ['matrix'],
}

/** The domains that a write in one of them makes stale, itself first. */
export const madeStaleBy = (domain: string): readonly string[] => [
  domain,
  ...(MADE_OF_IT[domain] ?? []),
]

/** What the analysis makes, and so what is stale when it has run again. */
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
