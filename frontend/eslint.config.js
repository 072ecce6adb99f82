/**
 * Lint rules. Imports run one way, shared (api, charts, state, ui) -> features -> app, which
 * `npm run lint` completes: dpdm refuses import cycles (of types too), knip exports and files that
 * nothing uses. No function of the app is longer than 150 lines.
 */
import js from '@eslint/js'
import hooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import { readdirSync } from 'node:fs'
import tseslint from 'typescript-eslint'

const FEATURES = readdirSync(new URL('./src/features', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

const LONGEST_FUNCTION = 150

/** Files under `files` may not import anything that matches one of `patterns`. */
const forbid = (files, message, group, ignores = []) => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
})

export default tseslint.config(
  {
    ignores: ['dist', 'node_modules', 'tools/node_modules', 'src/api/schema.d.ts', 'test-results'],
  },
  js.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}', 'e2e/**/*.ts', 'vite.config.ts'],
    extends: [...tseslint.configs.strict, ...tseslint.configs.stylistic],
    languageOptions: { globals: globals.browser },
    plugins: { 'react-hooks': hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'react-hooks/incompatible-library': 'off', // react-virtual: the compiler is not in use
      'no-console': ['error', { allow: ['error'] }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/**/*.test.{ts,tsx}', 'src/testing/**'],
    rules: {
      'max-lines-per-function': ['error', LONGEST_FUNCTION],
    },
  },
  { files: ['**/*.{mjs,js}'], languageOptions: { globals: globals.node } },
  { files: ['public/*.js'], languageOptions: { globals: globals.browser } },
  forbid(
    ['src/{api,charts,ui,state}/**', 'src/*.ts'],
    'shared code may not import features or the app',
    ['@/features/**', '@/app/**', '**/features/**', '**/app/**'],
  ),
  ...FEATURES.map((name) =>
    forbid(
      [`src/features/${name}/**`],
      'features do not import one another nor the app: move what two need down',
      [
        '@/app/**',
        ...FEATURES.filter((other) => other !== name).flatMap((other) => [
          `@/features/${other}/**`,
          `../${other}/**`,
        ]),
      ],
    ),
  ),
)
