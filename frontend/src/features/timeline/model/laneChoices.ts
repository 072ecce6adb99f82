/** How a person set up lanes, as the address has it: "tlp3:series@host" is tall, log, pinned, green. */
import { type Choice, PLAIN, type Scale, type Size } from './laneTypes'

const SCALES: readonly (readonly [flag: string, scale: Scale])[] = [
  ['l', 'log'],
  ['s', 'shared'],
  ['f', 'full'],
]

export function readChoices(values: readonly string[]): ReadonlyMap<string, Choice> {
  const found = new Map<string, Choice>()
  for (const value of values) {
    const colon = value.indexOf(':')
    if (colon < 1) continue
    const flags = value.slice(0, colon)
    const size: Size = flags.includes('t') ? 'tall' : flags.includes('c') ? 'compact' : 'normal'
    const scale = SCALES.find(([flag]) => flags.includes(flag))?.[1] ?? 'linear'
    found.set(value.slice(colon + 1), {
      ...{ size, scale },
      pinned: flags.includes('p'),
      folded: flags.includes('x'),
      colour: Number(/[2-7]/.exec(flags)?.[0] ?? 1),
    })
  }
  return found
}

export function writeChoices(choices: ReadonlyMap<string, Choice>): string[] {
  return [...choices].flatMap(([id, choice]) => {
    const flags =
      { tall: 't', compact: 'c', normal: '' }[choice.size] +
      (SCALES.find(([, scale]) => scale === choice.scale)?.[0] ?? '') +
      (choice.pinned ? 'p' : '') +
      (choice.folded ? 'x' : '') +
      (choice.colour > 1 ? String(choice.colour) : '')
    return flags ? [`${flags}:${id}`] : []
  })
}

export function changed(
  choices: ReadonlyMap<string, Choice>,
  id: string,
  change: Partial<Choice>,
): ReadonlyMap<string, Choice> {
  return new Map(choices).set(id, { ...(choices.get(id) ?? PLAIN), ...change })
}
