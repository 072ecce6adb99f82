import type { Plugin } from 'postcss'
export const layerOf: (file: string) => string | undefined
export const cascadeLayers: () => Plugin
