/** Which share of the specs of screens runs: SHARE is `turn/of`, the number of the day over so many days. */
export function share(): [turn: number, of: number] {
  const [turn = 0, of = 1] = (process.env['SHARE'] ?? '0/1').split('/').map(Number)
  return [turn, of]
}
