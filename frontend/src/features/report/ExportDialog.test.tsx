import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { ExportDialog } from './ExportDialog'
import type { Check, Release, Report } from './queries'

const remark = (rule: Check['rule'], section: string | null, line: number | null): Check => ({
  rule,
  section,
  line,
  level: 'note',
  text: `${rule} in ${section ?? 'the actions'}`,
})
const REPORT = {
  sections: [
    { key: 'exec_summary', title: 'In short' },
    { key: 'exec_cause', title: 'Why it happened' },
  ],
  checks: [
    remark('internals', 'exec_summary', null),
    remark('internals', 'exec_cause', 3),
    remark('no_action', null, null),
  ],
} as unknown as Report
const RELEASE = { id: 'r1', number: 1, state: 'in_review' } as unknown as Release

it('lists the technical words of the team in a plain version, of the chosen sections of the draft', async () => {
  serve({})
  renderScreen(
    <ExportDialog incidentId="i1" report={REPORT} releases={[RELEASE]} onClose={() => undefined} />,
    '/',
  )
  const list = () => screen.queryByRole('region', { name: 'Technical words in this version' })
  await screen.findByRole('dialog')
  expect(list()?.textContent).toContain('2 places are technical')
  expect(list()?.textContent).toContain('internals in exec_cause (line 3)')
  expect(list()?.textContent).not.toContain('no_action')
  fireEvent.click(screen.getByRole('checkbox', { name: 'In short' }))
  expect(list()?.textContent).toContain('2 places are technical')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Why it happened' }))
  expect(list()?.textContent).toContain('1 place is technical')
  fireEvent.change(screen.getByLabelText('Version'), { target: { value: 'r1' } })
  expect(list()).toBeNull()
})
