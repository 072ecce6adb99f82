/** The screens of an incident, as their addresses name them. */
export const SCREENS = [
  'overview',
  'artifacts',
  'timeline',
  'waits',
  'stacks',
  'tables',
  'compare',
  'hypotheses',
  'experiments',
  'report',
  'activity',
]
