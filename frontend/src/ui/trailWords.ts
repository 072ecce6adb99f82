/** Actions of the audit trail in words, and where what they speak of is seen. */
import type { components } from '@/api/schema'

type Entry = components['schemas']['ActivityEntry']

const DID: Readonly<Record<string, string>> = {
  'incident.created': 'opened the incident',
  'incident.changed': 'changed the incident',
  'incident.archived': 'archived the incident',
  'incident.deleted': 'deleted the incident',
  'incident.restored': 'took the incident back out of the bin',
  'hypothesis.created': 'proposed a hypothesis',
  'hypothesis.edited': 'changed a hypothesis',
  'hypothesis.confidence_set': 'said how sure they are of a hypothesis',
  'hypothesis.evidence_added': 'pinned evidence to a hypothesis',
  'hypothesis.evidence_removed': 'took evidence off a hypothesis',
  'matrix.rated': 'rated evidence in the matrix',
  'matrix.opened': 'opened ratings to everybody',
  'pin.created': 'pinned something',
  'pin.withdrawn': 'withdrew a pin',
  'experiment.planned': 'planned an experiment',
  'experiment.started': 'started an experiment and locked its prediction',
  'experiment.finished': 'finished an experiment',
  'experiment.artifacts_attached': 'attached artifacts to an experiment',
  'symptom.created': 'wrote a symptom',
  'symptom.edited': 'changed a symptom',
  'annotation.created': 'wrote a note on the timeline',
  'annotation.edited': 'changed a note on the timeline',
  'annotation.deleted': 'deleted a note on the timeline',
  'text.edited': 'wrote in',
  'text.version_named': 'named a version of',
  'comment.created': 'wrote a comment',
  'release.submitted': 'sent the report into review',
  'release.approved': 'approved the report',
  'artifact.uploaded': 'uploaded an artifact',
  'webhook.changed': 'changed a webhook',
  'webhook.redelivered': 'had a webhook delivered again',
  'session.opened': 'signed in',
}

/** 'artifact.type_given' as 'artifact: type given' where no sentence is written. */
export function didWhat({ action, target }: Pick<Entry, 'action' | 'target'>): string {
  const known = DID[action]
  if (known) return action.startsWith('text.') ? `${known} ${textName(target ?? '')}` : known
  const [domain = '', ...rest] = action.split('.')
  const deed = rest.join(' ').replaceAll('_', ' ')
  if (deed === 'purged') return `removed ${article(domain)} for good`
  if (deed === 'restored') return `took back ${article(domain)} from the bin`
  if (['deleted', 'edited', 'created'].includes(deed)) return `${deed} ${article(domain)}`
  return `${kindWord(domain)}: ${deed}`
}

export const kindWord = (domain: string): string => domain.replaceAll('_', ' ')

/** 'report/what_happened' as 'the report, what happened'. */
export function textName(key: string): string {
  const [domain, rest = ''] = key.split('/')
  if (domain === 'report') return `the report, ${rest.replaceAll('_', ' ')}`
  if (domain === 'hypothesis') return 'the notes of a hypothesis'
  if (domain === 'experiment') return 'the conclusion of an experiment'
  return `the ${kindWord(domain ?? key)}`
}

/** The screen that shows what was done; null where there is none. */
export function targetPath(entry: Pick<Entry, 'incident_id' | 'action' | 'target'>): string | null {
  const { incident_id: incident, action, target } = entry
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
      return `${base}/timeline`
    case 'matrix':
    case 'pin':
      return `${base}/hypotheses`
    case 'release':
    case 'report':
    case 'action':
      return `${base}/report`
    case 'incident':
      return `${base}/overview`
    case 'text':
      return textPath(base, target ?? '')
    default:
      return null
  }
}

/** Where the subject of a comment is: 'hypothesis:ID', 'report:KEY'. */
export function subjectPath(incident: string, subject: string): string {
  const base = `/incidents/${incident}`
  const [kind, id = ''] = subject.split(':')
  if (kind === 'hypothesis') return `${base}/hypotheses?hypothesis=${id}`
  if (kind === 'experiment') return `${base}/experiments?experiment=${id}`
  if (kind === 'report') return `${base}/report?section=${id}`
  return `${base}/hypotheses`
}

function textPath(base: string, key: string): string {
  const [domain, id = ''] = key.split('/')
  if (domain === 'report') return `${base}/report?section=${id}`
  if (domain === 'hypothesis') return `${base}/hypotheses?hypothesis=${id}`
  if (domain === 'experiment') return `${base}/experiments?experiment=${id}`
  return `${base}/overview`
}

const SHOWN = [
  'title',
  'text',
  'path',
  'url',
  'statement',
  'fields',
  'reason',
  'name',
  'was',
  'words',
  'now',
  'gone',
  'why',
] as const
const MOST = 140

/** The telling parts of the detail, short. */
export function detailWords({ detail }: Pick<Entry, 'detail'>): string {
  const parts = SHOWN.flatMap((name) => {
    const value: unknown = detail[name]
    if (value === undefined || value === null || value === '') return []
    return [
      Array.isArray(value)
        ? value.join(', ')
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
    ]
  })
  const all = parts.join(' · ')
  return all.length > MOST ? `${all.slice(0, MOST)}…` : all
}

function article(domain: string): string {
  const word = kindWord(domain)
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`
}
