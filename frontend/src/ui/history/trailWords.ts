/** Sentences for actions of the audit trail, and links to their subjects. */
import { formatCount } from '@/format'
import type { components } from '@/api/schema'

type Entry = components['schemas']['ActivityEntry']
type Named = { readonly name?: Entry['name'] }

const DID: Readonly<Record<string, string>> = {
  'incident.created': 'created the incident',
  'incident.changed': 'changed the incident',
  'incident.archived': 'archived the incident',
  'incident.deleted': 'deleted the incident',
  'incident.held': 'put the incident under a legal hold',
  'incident.released': 'ended the legal hold of the incident',
  'incident.restored': 'restored the incident from the bin',
  'incident.imported': 'imported the incident from a bundle',
  'incident.status_changed': 'changed the status of the incident',
  'incident.visibility_changed': 'changed who can see the incident',
  'member.added': 'gave access to the incident',
  'member.removed': 'withdrew access to the incident',
  'guest_link.opened': 'opened a guest link',
  'guest_link.revoked': 'revoked a guest link',
  'hypothesis.created': 'proposed a hypothesis',
  'hypothesis.edited': 'changed a hypothesis',
  'hypothesis.status_changed': 'decided on a hypothesis',
  'hypothesis.confidence_set': 'set the confidence in a hypothesis',
  'hypothesis.evidence_added': 'pinned evidence to a hypothesis',
  'hypothesis.evidence_removed': 'removed evidence from a hypothesis',
  'matrix.rated': 'rated a cell of the matrix',
  'matrix.weighed': 'changed the weight of evidence',
  'matrix.opened': 'revealed the ratings',
  'pin.created': 'pinned',
  'pin.withdrawn': 'withdrew a pin',
  'pin.turned_stale': 'marked a pin as stale',
  'pin.fresh_again': 'marked a pin as current again',
  'pin.value_accepted': 'accepted the new value of a stale pin',
  'pin.kept_stale': 'kept the old value of a stale pin',
  'experiment.planned': 'planned an experiment',
  'experiment.edited': 'changed an experiment',
  'experiment.started': 'started an experiment and locked its prediction',
  'experiment.finished': 'finished an experiment',
  'experiment.artifacts_attached': 'attached artifacts to an experiment',
  'experiment.pin_attached': 'pinned evidence to an experiment',
  'experiment.imported': 'imported a run from a table',
  'experiment.measured': 'recorded measurements of an experiment',
  'experiment.measurement_removed': 'deleted a measurement of an experiment',
  'experiment.measurement_restored': 'restored a measurement of an experiment',
  'symptom.answered': 'answered a symptom for a run',
  'symptom.created': 'wrote a symptom',
  'symptom.edited': 'changed a symptom',
  'annotation.created': 'wrote a note on the timeline',
  'annotation.edited': 'changed a note on the timeline',
  'annotation.deleted': 'deleted a note on the timeline',
  'action.created': 'added an action',
  'action.edited': 'changed an action',
  'text.edited': 'wrote in',
  'text.version_named': 'named a version of',
  'comment.created': 'wrote a comment on',
  'comment.edited': 'changed a comment on',
  'comment.deleted': 'deleted a comment on',
  'finding.dismissed': 'dismissed a finding',
  'finding.accepted': 'accepted a finding',
  'finding.open': 'reopened a finding',
  'report.template': 'chose the template of the report',
  'sample.case_recorded': 'recorded the case study of the sample',
  'release.submitted': 'submitted the report for review',
  'release.approved': 'approved the report',
  'release.withdrawn': 'withdrew the report from review',
  'artifact.uploaded': 'uploaded an artifact',
  'artifact.changed': 'changed how an artifact is read',
  'stall.corrected': 'corrected a stall',
  'stall.reset': 'removed the correction of a stall',
  'stack.benign': 'marked a stack as benign',
  'stack.suspicious': 'marked a stack as suspicious',
  'stack.unreviewed': 'cleared the mark of a stack',
  'mapping.remembered': 'defined the columns of a table',
  'mapping.forgotten': 'removed the columns of a table',
  'view.named': 'named a view',
  'webhook.changed': 'changed a webhook',
  'webhook.redelivered': 'redelivered a webhook',
  'redaction_profile.saved': 'saved a redaction profile',
  'signing_key.replaced': 'replaced the signing key',
  'team.member_added': 'added a member to a team',
  'team.member_removed': 'removed a member from a team',
  'team.renamed': 'renamed a team',
  'team.retention_set': 'set how long a team keeps incidents',
  'token.revoked': 'revoked a token',
  'user.invited': 'invited a user',
  'user.changed': 'changed a user',
  'profile.changed': 'changed their profile',
  'factor.on': 'turned the second factor on',
  'factor.off': 'turned the second factor off',
  'factor.reset': 'reset the second factor of a user',
  'identity.linked': 'linked a sign-in account',
  'identity.unlinked': 'unlinked a sign-in account',
  'session.opened': 'signed in',
  'session.closed': 'signed out',
  'session.ended': 'ended a session',
  'session.refused': 'a sign-in failed',
  'password.refused': 'wrong password',
  'factor.refused': 'wrong code or password',
  'file.downloaded': 'downloaded a file',
  'sign_in_link.created': 'created a sign-in link on the command line',
}

/** Return the sentence of an action; 'artifact: type given' for one without a sentence. */
export function didWhat({
  action,
  target,
  name,
}: Pick<Entry, 'action' | 'target'> & Named): string {
  if (action === 'access.refused') return `was refused ${target ?? ''}`
  const known = DID[action]
  if (known && !name)
    return action.startsWith('text.')
      ? `${known} ${textName(target ?? '')}`
      : known.replace(/ on$/, '')
  if (known) return action.startsWith('text.') ? `${known} ${textName(target ?? '')}` : known
  const [domain = '', ...rest] = action.split('.')
  const deed = rest.join(' ').replaceAll('_', ' ')
  if (deed === 'purged') return `removed ${article(domain)} for good`
  if (deed === 'restored') return `restored ${article(domain)} from the bin`
  if (['deleted', 'edited', 'created'].includes(deed)) return `${deed} ${article(domain)}`
  return `${kindWord(domain)}: ${deed}`
}

export const kindWord = (domain: string): string => domain.replaceAll('_', ' ')

/** Return the name of a text: 'the report, what happened' for 'report/what_happened'. */
export function textName(key: string): string {
  const [domain, rest = ''] = key.split('/')
  if (domain === 'report') return `the report, ${rest.replaceAll('_', ' ')}`
  if (domain === 'hypothesis') return 'the notes of a hypothesis'
  if (domain === 'experiment') return 'the conclusion of an experiment'
  return `the ${kindWord(domain ?? key)}`
}

/** Return the address of the screen that shows the subject of an action; null without one. */
export function targetPath(
  entry: Pick<Entry, 'incident_id' | 'action' | 'target' | 'detail'>,
): string | null {
  const { incident_id: incident, action, target, detail } = entry
  if (!incident || /\.(deleted|withdrawn|purged)$/.test(action)) return null
  const base = `/incidents/${incident}`
  const domain = action.split('.')[0]
  switch (domain) {
    case 'hypothesis':
      return `${base}/hypotheses?hypothesis=${target ?? ''}`
    case 'experiment':
      return `${base}/experiments?experiment=${target ?? ''}`
    case 'symptom':
      return `${base}/experiments`
    case 'artifact':
      return `${base}/artifacts?artifact=${target ?? ''}`
    case 'annotation':
    case 'stall':
      return `${base}/timeline`
    case 'stack':
      return `${base}/stacks`
    case 'finding':
      return `${base}/overview`
    case 'matrix':
      return (target ?? '').includes('/') && !(target ?? '').includes('all')
        ? subjectPath(incident, `cell:${target ?? ''}`)
        : `${base}/hypotheses?tab=matrix`
    case 'pin':
      return `${base}/hypotheses?tab=evidence`
    case 'comment':
      return typeof detail['subject'] === 'string' ? subjectPath(incident, detail['subject']) : null
    case 'release':
      return `${base}/report?panel=versions`
    case 'action':
      return `${base}/report?panel=actions`
    case 'report':
      return `${base}/report`
    case 'incident':
      return `${base}/overview`
    case 'text':
      return textPath(base, target ?? '')
    default:
      return null
  }
}

/** Return the address of a comment subject: 'hypothesis:ID', 'cell:PIN/HYPOTHESIS', 'report:KEY'. */
export function subjectPath(incident: string, subject: string): string {
  const base = `/incidents/${incident}`
  const at = subject.indexOf(':')
  const id = encodeURIComponent(subject.slice(at + 1))
  switch (subject.slice(0, at)) {
    case 'hypothesis':
      return `${base}/hypotheses?hypothesis=${id}`
    case 'cell':
      return `${base}/hypotheses?tab=matrix&cell=${id}`
    case 'experiment':
      return `${base}/experiments?experiment=${id}`
    case 'report':
      return `${base}/report?section=${id}&panel=comments`
    default:
      return `${base}/hypotheses?tab=evidence`
  }
}

function textPath(base: string, key: string): string {
  const [domain, id = ''] = key.split('/')
  if (domain === 'report') return `${base}/report?section=${id}`
  if (domain === 'hypothesis') return `${base}/hypotheses?hypothesis=${id}`
  if (domain === 'experiment') return `${base}/experiments?experiment=${id}`
  return `${base}/overview`
}

/** Fields that identify the subject when the entry has no name for it. */
const NAMES = ['title', 'text', 'path', 'url', 'statement', 'words', 'number'] as const
const SHOWN = [
  'confidence',
  'verdict',
  'evidence',
  'side',
  'files',
  'credibility',
  'relevance',
  'fields',
  'file',
  'choices',
  'how',
  'reason',
  'name',
  'was',
  'now',
  'gone',
  'why',
  'settled',
  'needs_review',
] as const
/** Phrases for numbers and bare words that need a context. */
const PHRASES: Readonly<Record<string, (value: string) => string>> = {
  confidence: (value) => `${value}%`,
  verdict: (value) => value.replaceAll('_', ' '),
  files: (value) => formatCount(Number(value), 'file'),
  credibility: (value) => `credibility ${value}`,
  relevance: (value) => `relevance ${value}`,
  number: (value) => `release ${value}`,
  settled: (value) => `${value} as before`,
  needs_review: (value) => `to be reviewed: ${value}`,
}
const MOST = 140

/** Summarise the detail of an entry, without the parts that its name contains. */
export function detailWords({ detail, name }: Pick<Entry, 'detail'> & Named): string {
  const { before, after } = detail
  const isMove = typeof before === 'string' && typeof after === 'string'
  const field = isMove && Array.isArray(detail['fields']) ? detail['fields'].join(', ') : ''
  const moved = isMove ? [`${field && `${field}: `}${before} → ${after}`] : []
  const shown = [...(name ? [] : NAMES), ...SHOWN].filter((key) => !field || key !== 'fields')
  const parts = shown.flatMap((key) => {
    const value: unknown = detail[key]
    if (value === undefined || value === null || value === '') return []
    if (Array.isArray(value) && value.length === 0) return []
    const words = Array.isArray(value)
      ? value.map((item) => String(item).replaceAll('_', ' ')).join(', ')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
    return [PHRASES[key]?.(words) ?? words]
  })
  const all = [...moved, ...parts].join(' · ')
  return all.length > MOST ? `${all.slice(0, MOST)}…` : all
}

function article(domain: string): string {
  const word = kindWord(domain)
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`
}
