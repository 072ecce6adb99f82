/** The evidence of a hypothesis by side: for, against, neutral. */
import { Link } from 'react-router'
import { IconButton } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { CloseIcon } from '@/ui/controls/icons'
import { InspectorSection } from '@/ui/panels/Inspector'
import { Excerpt } from './Excerpt'
import type { Hypothesis } from './queries'

const SIDES = [
  ['for', 'For'],
  ['against', 'Against'],
  ['neutral', 'Neutral'],
] as const

export function EvidenceSides({
  hypothesis,
  onRemove,
}: {
  readonly hypothesis: Hypothesis
  /** Undefined when the user may not edit. */
  readonly onRemove: ((evidence: Hypothesis['evidence'][number]) => void) | undefined
}) {
  return (
    <>
      {SIDES.map(([side, title]) => {
        const members = hypothesis.evidence.filter((item) => item.side === side)
        if (members.length === 0 && side === 'neutral') return null
        return (
          <InspectorSection key={side} title={`${title} (${members.length})`}>
            {members.length === 0 && (
              <p className="muted">Nothing yet: use “Pin as evidence” in any view.</p>
            )}
            <ul className="hypothesis-evidence">
              {members.map((item) => (
                <li key={item.id} data-testid="evidence-item">
                  <div className="hypothesis-evidence-line">
                    {item.pin ? (
                      <Link to={item.pin.view}>
                        <span className="evidence-label">{item.pin.label}</span> {item.pin.title}
                      </Link>
                    ) : (
                      'a withdrawn pin'
                    )}
                    {item.pin?.stale && <Chip tone="waiting">stale</Chip>}
                    {onRemove && (
                      <IconButton
                        size="small"
                        label={`Remove: ${item.pin?.title ?? 'evidence'}`}
                        icon={<CloseIcon />}
                        onClick={() => onRemove(item)}
                      />
                    )}
                  </div>
                  {item.note && item.note !== item.pin?.title && <div>{item.note}</div>}
                  {item.pin?.stale && item.pin.now_value && (
                    <div className="muted">
                      Was: {item.pin.value}. Now: {item.pin.now_value}
                    </div>
                  )}
                  {item.pin?.excerpt && <Excerpt text={item.pin.excerpt} />}
                </li>
              ))}
            </ul>
          </InspectorSection>
        )
      })}
    </>
  )
}
