/** The menu of samples above a list that has incidents. */
import { Fragment } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@/ui/controls/Button'
import { DownIcon } from '@/ui/controls/icons'
import { Menu, MenuItem, MenuLabel } from '@/ui/controls/Menu'
import { samplesQuery, useLoadSample } from './queries'
import { sampleGroups } from './samples'

export function SampleMenu() {
  const samples = useQuery(samplesQuery)
  const load = useLoadSample()
  if (!samples.data?.length) return null
  return (
    <Menu
      trigger={
        <Button busy={load.isPending}>
          Load a sample <DownIcon size={12} />
        </Button>
      }
    >
      {sampleGroups(samples.data).map((group) => (
        <Fragment key={group.title}>
          <MenuLabel>{group.title}</MenuLabel>
          {group.samples.map((sample) => (
            <MenuItem key={sample.id} onSelect={() => load.mutate(sample.id)}>
              <span title={sample.title}>
                {sample.incident_id && <span className="faint">Loaded: </span>}
                {sample.title}
              </span>
            </MenuItem>
          ))}
        </Fragment>
      ))}
    </Menu>
  )
}
