/** What chromium.mjs gives to the typed files beside it. */
export const FLAGS: string[]
export function findChromium(): Promise<{
  executablePath: string
  env: Record<string, string>
  how: string
}>
