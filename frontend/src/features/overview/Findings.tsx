/** Likely causes: score, evidence, applicability, remedies and a test for each. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { useMay } from '@/api/queries'
import type { FindingDoc, Overview } from '@/api/schema'
import { formatCount } from '@/format'
import { text, useUrlState } from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { cx } from '@/ui/controls/cx'
import { Evidence, experimentPath } from '@/ui/evidence/evidence'
import { ChevronIcon, DownIcon } from '@/ui/controls/icons'
import { PinButton } from '@/ui/evidence/pin'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { LateDetails, Nothing, Section } from './Section'
import { unansweredOf } from '@/ui/evidence/Unanswered'
import { findingsQuery, useMakeHypothesis, useVerdict } from './queries'

export function Findings({ overview }: { readonly overview: Overview }) {
  const incidentId = overview.incident.id
  const judged = useQuery(findingsQuery(incidentId)).data
  const [open, setOpen] = useUrlState('finding', text, '')
  // The best one is open until the user opens another or closes all.
  const shown = open || (overview.findings[0]?.id ?? NO_FINDING)
  const titles = new Map(overview.findings.map(({ id, title }) => [id, title]))
  const item = (finding: FindingDoc) => ({
    incidentId,
    finding,
    explainedBy: finding.explained_by && (titles.get(finding.explained_by) ?? null),
    verdict: judged?.find((each) => each.finding.id === finding.id)?.verdict ?? ('open' as const),
    open: shown === finding.id,
    onToggle: () => setOpen(shown === finding.id ? NO_FINDING : finding.id),
  })
  return (
    <Section
      title="Likely causes"
      unanswered={unansweredOf(overview, ['findings', 'absences', 'looked_at'])}
      note={
        overview.findings.length > 0 &&
        'By score (0 to 1, not a probability) and share of session time that passes through it'
      }
    >
      {overview.findings.length === 0 ? (
        <Nothing>
          {overview.headline
            ? 'No rule of the knowledge base matches the capture. The gaps list what to collect so that more rules can be checked.'
            : 'Available after the analysis.'}
        </Nothing>
      ) : (
        <ol className="findings">
          {grouped(overview.findings).map(({ finding, symptoms }) => (
            <FindingItem key={finding.id} {...item(finding)}>
              {symptoms.length > 0 && (
                <details className="finding-symptoms" open={symptoms.some(({ id }) => id === open)}>
                  <summary>
                    {symptoms.length} {symptoms.length === 1 ? 'symptom' : 'symptoms'} of it
                  </summary>
                  <ol className="findings">
                    {symptoms.map((symptom) => (
                      <FindingItem key={symptom.id} {...item(symptom)} />
                    ))}
                  </ol>
                </details>
              )}
            </FindingItem>
          ))}
        </ol>
      )}
      <Absences overview={overview} />
    </Section>
  )
}

/** Group symptoms under the finding that explains them; all keep their order. */
function grouped(findings: readonly FindingDoc[]) {
  const listed = new Set(findings.filter(isProblem).map(({ id }) => id))
  const of = (finding: FindingDoc) =>
    isProblem(finding) || !finding.explained_by || !listed.has(finding.explained_by)
      ? null
      : finding.explained_by
  return findings
    .filter((finding) => of(finding) === null)
    .map((finding) => ({ finding, symptoms: findings.filter((each) => of(each) === finding.id) }))
}

const isProblem = (finding: FindingDoc) => finding.role !== 'symptom'

/** Summarise the patterns without a match: '87 other patterns checked, no match; 1 could not be checked'. */
function absenceSummary(checked: number, unchecked: number): string {
  if (checked === 0) return `${formatCount(unchecked, 'other pattern')} could not be checked`
  const rest = unchecked > 0 ? `; ${unchecked} could not be checked` : ''
  return `${formatCount(checked, 'other pattern')} checked, no match${rest}`
}

const NO_FINDING = 'none'

/** Patterns without a match, with the range and the number of records that were checked. */
function Absences({ overview }: { readonly overview: Overview }) {
  const { absences, looked_at: at } = overview
  if (absences.length === 0) return null
  const checked = absences.filter((item) => item.verdict !== 'no_data')
  const records = Object.entries(at?.records ?? {}).filter(([, count]) => count > 0)
  const name = records.map(([what, count]) => `${count} ${what}`).join(', ')
  return (
    <LateDetails
      className="absences"
      summary={absenceSummary(checked.length, absences.length - checked.length)}
    >
      <p className="muted">
        {at?.window ? 'Over the stall, in ' : 'In '}
        {name}.
      </p>
      <ul className="dot-list">
        {absences.map((item) => (
          <li key={item.id}>
            {item.title}{' '}
            <span className="muted">
              {ABSENT[item.verdict]}: {item.looked_for}
            </span>
            {item.verdict === 'not_found' && (
              <>
                {' '}
                <PinButton
                  incidentId={overview.incident.id}
                  pin={{
                    kind: 'statement',
                    evidence_kind: 'absence',
                    title: `No match: ${item.title}`.slice(0, 500),
                    locator: {},
                    picture: null,
                    excerpt: `Checked for ${item.looked_for}; in ${name}.`.slice(0, 4000),
                  }}
                >
                  Pin as absence
                </PinButton>
              </>
            )}
          </li>
        ))}
      </ul>
    </LateDetails>
  )
}

const ABSENT = {
  seen: 'seen, too little to be sure',
  not_found: 'no match',
  no_data: 'no data',
} as const

const APPLIES = {
  yes: ['applies to this version', 'waiting'],
  no: ['other versions only', 'idle'],
  unknown: ['version unknown', 'plain'],
} as const

type Verdict = 'open' | 'accepted' | 'dismissed'

function FindingItem({
  incidentId,
  finding,
  explainedBy,
  verdict,
  open,
  onToggle,
  children,
}: {
  readonly incidentId: string
  readonly finding: FindingDoc
  /** Title of the finding that explains it. */
  readonly explainedBy: string | null
  readonly verdict: Verdict
  readonly open: boolean
  readonly onToggle: () => void
  readonly children?: ReactNode
}) {
  const [applies, tone] = APPLIES[finding.applies_to_version]
  return (
    <li className={cx('finding', verdict === 'dismissed' && 'finding-dismissed')}>
      <button type="button" className="finding-head" aria-expanded={open} onClick={onToggle}>
        {open ? <DownIcon size={12} /> : <ChevronIcon size={12} />}
        <span className="finding-title">{finding.title}</span>
        {verdict !== 'open' && (
          <Chip tone={verdict === 'accepted' ? 'running' : 'idle'}>{verdict}</Chip>
        )}
        {finding.role === 'symptom' && <Chip tone="idle">symptom</Chip>}
        {finding.verdict === 'seen' && <Chip tone="idle">too little to be sure</Chip>}
        {finding.verified === false && (
          <Chip tone="idle" title={finding.verified_by}>
            unverified
          </Chip>
        )}
        <Chip tone={tone}>{applies}</Chip>
        {typeof finding.impact === 'number' && (
          <span className="muted" title="Share of the session time that it explains">
            {Math.round(finding.impact * 100)}%
          </span>
        )}
        <span className="finding-score" title={`confidence ${finding.score.toFixed(2)} of 1`}>
          <ShareBar value={finding.score} width={56} /> {finding.score.toFixed(2)}
        </span>
      </button>
      {open && <FindingBody {...{ incidentId, finding, explainedBy, verdict }} />}
      {children}
    </li>
  )
}

/** Who did what to whom, as far as it is known. */
function Chain({ chain }: { readonly chain: FindingDoc['chain'] }) {
  const links = [
    ['Trigger', chain.trigger],
    ['Holder', chain.holder],
    ['Victims', chain.victims],
    ['End', chain.end],
  ].filter(([, text]) => text)
  if (links.length === 0) return null
  return (
    <ul className="dot-list">
      {links.map(([name, text]) => (
        <li key={name}>
          {name}: {text}
        </li>
      ))}
    </ul>
  )
}

const TRACKERS: Readonly<Record<string, string>> = {
  mysql: 'MySQL bug ',
  mdev: 'MariaDB MDEV-',
  ps: 'Percona PS-',
}

/** The vendor's bug before its title: "MySQL bug 100512: "; empty for an id that is ours alone. */
function bugName(id: string): string {
  const [, tracker = '', number] = /^([a-z]+)-(\d+)$/.exec(id) ?? []
  return TRACKERS[tracker] ? `${TRACKERS[tracker]}${number}: ` : ''
}

/** What a finding is called elsewhere: "MySQL bug 100512: …. "; empty for an entry that is the finding itself. */
function nameOf(item: FindingDoc['known_as'][number], finding: FindingDoc): string {
  const bug = bugName(item.id)
  return bug || item.title !== finding.title ? `${bug}${item.title}. ` : ''
}

/** What to do, with what has to hold first and what it costs. */
function Remedies({ mitigations }: { readonly mitigations: FindingDoc['mitigations'] }) {
  if (mitigations.length === 0) return null
  return (
    <>
      <h3>Remedies</h3>
      <ul className="dot-list">
        {mitigations.map((item) => (
          <li key={item.action}>
            {item.action}
            {item.precondition && <div className="muted">Check first: {item.precondition}</div>}
            {item.side_effects && item.side_effects !== '-' && (
              <div className="muted">Side effects: {item.side_effects}</div>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function FindingBody({
  incidentId,
  finding,
  explainedBy,
  verdict,
}: {
  readonly incidentId: string
  readonly finding: FindingDoc
  readonly explainedBy: string | null
  readonly verdict: Verdict
}) {
  const mayWrite = useMay('contributor')
  const { search } = useLocation()
  const make = useMakeHypothesis(incidentId)
  const judge = useVerdict(incidentId)
  const say = (next: Verdict) =>
    judge.mutate(
      { findingId: finding.id, verdict: { verdict: next, reason: null } },
      {
        onSuccess: () =>
          next === 'dismissed' &&
          offerUndo(`Dismissed: ${finding.title}`, () =>
            judge.mutateAsync({ findingId: finding.id, verdict: { verdict, reason: null } }),
          ),
      },
    )
  return (
    <div className="finding-body">
      <p>{finding.why}</p>
      {explainedBy && <p>Explained by: {explainedBy}.</p>}
      <Chain chain={finding.chain} />
      {finding.next_step && <p>To be surer: {finding.next_step}</p>}
      {finding.explanation && <p className="muted">{finding.explanation}</p>}
      {finding.evidence.length > 0 && (
        <>
          <h3>Evidence</h3>
          <ul className="evidence-list">
            {finding.evidence.map((locator, index) => (
              <li key={index}>
                <Evidence incidentId={incidentId} locator={locator} />
              </li>
            ))}
          </ul>
        </>
      )}
      {finding.against.length > 0 && (
        <>
          <h3>Evidence against, or missing</h3>
          <ul className="dot-list">
            {finding.against.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </>
      )}
      <Remedies mitigations={finding.mitigations} />
      {finding.known_as.length > 0 && (
        <>
          <h3>
            {finding.known_as.some((item) => nameOf(item, finding)) ? 'Known as' : 'Releases'}
          </h3>
          <ul className="dot-list">
            {finding.known_as.map((item) => (
              <li key={item.id}>
                {nameOf(item, finding)}
                <span className="muted">{item.sentence}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {finding.experiment && (
        <>
          <h3>How to test this</h3>
          <p>{finding.experiment.change}</p>
          <p>
            <span className="muted">Expect:</span> {finding.experiment.expect}
          </p>
          {finding.experiment.refuted_if && (
            <p>
              <span className="muted">Disproved if:</span> {finding.experiment.refuted_if}
            </p>
          )}
          {mayWrite && (
            <p>
              <Link to={experimentPath(incidentId, `finding:${finding.id}`, search)}>
                Plan this experiment
              </Link>
            </p>
          )}
        </>
      )}
      <Sources finding={finding} />
      {mayWrite && (
        <div className="finding-actions">
          <Button
            size="small"
            variant="primary"
            busy={make.isPending}
            onClick={() => make.mutate(finding.id)}
          >
            Create hypothesis
          </Button>
          <PinButton
            incidentId={incidentId}
            pin={{
              kind: 'finding',
              title: finding.title,
              view: `/incidents/${incidentId}/overview?finding=${encodeURIComponent(finding.id)}`,
              locator: { node: finding.id, value: finding.score.toFixed(2) },
            }}
          />
          {verdict !== 'accepted' && (
            <Button size="small" busy={judge.isPending} onClick={() => say('accepted')}>
              Accept
            </Button>
          )}
          {verdict !== 'dismissed' && (
            <Button size="small" busy={judge.isPending} onClick={() => say('dismissed')}>
              Dismiss
            </Button>
          )}
          {verdict !== 'open' && (
            <Button size="small" variant="ghost" busy={judge.isPending} onClick={() => say('open')}>
              Clear verdict
            </Button>
          )}
        </div>
      )}
      {(make.error ?? judge.error) && <Problem compact error={make.error ?? judge.error} />}
    </div>
  )
}

/** The releases with a fix, and where the knowledge of it is published. */
function Sources({ finding }: { readonly finding: FindingDoc }) {
  const fixes = finding.fixed_in.filter((entry) => entry !== '-')
  return (
    <>
      {fixes.length > 0 && <p className="finding-foot faint">Fix: {fixes.join('; ')}</p>}
      {finding.references.length > 0 && (
        <p className="finding-foot faint">
          Sources:{' '}
          {finding.references.map((reference, index) => (
            <span key={reference}>
              {index > 0 && ' · '}
              <Reference text={reference} />
            </span>
          ))}
        </p>
      )}
    </>
  )
}

function Reference({ text }: { readonly text: string }) {
  return /^https?:\/\//.test(text) ? (
    <a href={text} target="_blank" rel="noreferrer noopener">
      {text.replace(/^https?:\/\//, '')}
    </a>
  ) : (
    <>{text}</>
  )
}
